# The readers, each given any bytes at all (fuzz/targets.h). Built twice: by
# the preset `fuzz` for libFuzzer, and everywhere to replay the corpora.
file(GLOB gv_fuzz_targets CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/*_target.cpp)
add_library(gv_fuzz_targets STATIC
  ${gv_fuzz_targets} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/targets.cpp)
target_include_directories(gv_fuzz_targets PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(gv_fuzz_targets
  PUBLIC Grapevine::report Grapevine::data Grapevine::sim ZLIB::ZLIB
  PRIVATE gv_flags)

if(GV_FUZZ)
  add_executable(fuzz_readers ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/libfuzzer.cpp)
  target_link_libraries(fuzz_readers PRIVATE gv_fuzz_targets gv_flags)
  target_link_options(fuzz_readers PRIVATE -fsanitize=fuzzer)
else()
  gv_layer_test(fuzz DEPS gv_fuzz_targets)
  target_compile_definitions(fuzz_test PRIVATE
    GV_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endif()
