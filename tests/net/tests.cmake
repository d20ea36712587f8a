gv_layer_test(net
  DEPS Grapevine::net Grapevine::gloo_getpeername_shim)
# Calls getpeername from a library that passes for Gloo.
add_library(gloo_caller MODULE ${CMAKE_CURRENT_LIST_DIR}/gloo_caller.cpp)
add_dependencies(net_test gloo_caller)
target_compile_definitions(net_test PRIVATE
  GLOO_CALLER="$<TARGET_FILE:gloo_caller>")

gv_layer_test(launch FOLDER net/launch DEPS Grapevine::net LABELS process)

# The same sweep in real processes, which this test starts and kills itself.
add_executable(transport_worker ${CMAKE_CURRENT_LIST_DIR}/process/worker.cpp)
target_include_directories(transport_worker PRIVATE
  ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(transport_worker PRIVATE
  Grapevine::member Grapevine::gloo_getpeername_shim gv_flags)

gv_layer_test(net_process FOLDER net/process EACH DEPS Grapevine::member
  LABELS process COST 12 LONG "ADeathDuringTheGathering")
add_dependencies(net_process_test transport_worker)
target_compile_definitions(net_process_test PRIVATE
  TRANSPORT_WORKER="$<TARGET_FILE:transport_worker>"
  MPIEXEC="${MPIEXEC_EXECUTABLE}")
