gv_layer_test(transport
  DEPS Grapevine::transport Grapevine::gloo_getpeername_shim)
# Calls getpeername from a library that passes for Gloo.
add_library(gloo_caller MODULE ${CMAKE_CURRENT_LIST_DIR}/gloo_caller.cpp)
add_dependencies(transport_test gloo_caller)
target_compile_definitions(transport_test PRIVATE
  GLOO_CALLER="$<TARGET_FILE:gloo_caller>")

# The same sweep in real processes, which this test starts and kills itself.
add_executable(transport_worker ${CMAKE_CURRENT_LIST_DIR}/process/worker.cpp)
target_include_directories(transport_worker PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(transport_worker PRIVATE
  Grapevine::transport Grapevine::gloo_getpeername_shim gv_flags)

file(GLOB gv_process_tests CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_LIST_DIR}/process/*_test.cpp)
add_executable(transport_process_test ${gv_process_tests})
target_include_directories(transport_process_test PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(transport_process_test PRIVATE
  Grapevine::transport Grapevine::launch
  gv_test_main gv_flags)
add_dependencies(transport_process_test transport_worker)
target_compile_definitions(transport_process_test PRIVATE
  TRANSPORT_WORKER="$<TARGET_FILE:transport_worker>"
  MPIEXEC="${MPIEXEC_EXECUTABLE}")
gv_discover_tests(transport_process_test transport_process EACH
  LABELS process COST 12 LONG "ADeathDuringTheGathering")
