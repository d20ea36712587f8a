# The default benchmark and the version are put into the program, so that an
# installed one needs no files beside it.
set(GV_DEFAULT_BENCH_NAME experiments/fashion-mnist-96.toml)
set(gv_default_bench_file ${PROJECT_SOURCE_DIR}/${GV_DEFAULT_BENCH_NAME})
set_property(DIRECTORY APPEND PROPERTY
  CMAKE_CONFIGURE_DEPENDS ${gv_default_bench_file})
file(READ ${gv_default_bench_file} GV_DEFAULT_BENCH)
set(gv_cli_generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
configure_file(${CMAKE_CURRENT_SOURCE_DIR}/cli/default_bench.cpp.in
  ${gv_cli_generated}/cli/default_bench.cpp @ONLY)
configure_file(${CMAKE_CURRENT_SOURCE_DIR}/cli/version.h.in
  ${gv_cli_generated}/cli/version.h @ONLY)

# The zoo needs torch; the verbs do not see it.
gv_layer(cli_models TORCH FOLDER cli/torch
  DEPS Grapevine::model)

file(GLOB gv_cli_sources CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_SOURCE_DIR}/cli/*.cpp)
list(FILTER gv_cli_sources EXCLUDE REGEX "/main[.]cpp$")
add_library(gv_cli STATIC
  ${gv_cli_sources} ${gv_cli_generated}/cli/default_bench.cpp)
gv_unity(gv_cli)
target_include_directories(gv_cli PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
  $<BUILD_INTERFACE:${gv_cli_generated}>
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(gv_cli
  PUBLIC Grapevine::sweep Grapevine::report Grapevine::run
  PRIVATE gv_cli_models $<BUILD_INTERFACE:gv_flags>)
add_library(Grapevine::cli ALIAS gv_cli)
# To users: a program of their own that is grapevine, and more.
set_target_properties(gv_cli PROPERTIES EXPORT_NAME program)
add_library(Grapevine::program ALIAS gv_cli)
set_property(GLOBAL APPEND PROPERTY GV_LAYERS gv_cli)

add_executable(grapevine ${CMAKE_CURRENT_SOURCE_DIR}/cli/main.cpp)
target_link_libraries(grapevine PRIVATE
  gv_cli Grapevine::gloo_getpeername_shim gv_flags)
set_target_properties(grapevine PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
install(TARGETS grapevine)
