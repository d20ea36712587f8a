gv_layer_test(transport DEPS Grapevine::transport)

# The same sweep in real processes, which this test starts and kills itself.
add_executable(transport_worker ${CMAKE_CURRENT_LIST_DIR}/process/worker.cpp)
target_include_directories(transport_worker PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(transport_worker PRIVATE Grapevine::transport gv_flags)

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
add_test(NAME transport_process COMMAND transport_process_test)
set_tests_properties(transport_process PROPERTIES
  TIMEOUT ${gv_test_timeout} LABELS process COST 170 ENVIRONMENT "OMP_NUM_THREADS=1")
