gv_layer_test(api TORCH DEPS Grapevine::api)

# Nodes as launchers tell them, in processes.
add_executable(api_nodes ${CMAKE_CURRENT_LIST_DIR}/process/nodes.cpp)
target_link_libraries(api_nodes PRIVATE Grapevine::grapevine gv_flags)
gv_torch_target(api_nodes)
if(TARGET grapevine)
  add_test(NAME api_nodes COMMAND grapevine launch -n 4 --workers-per-node 2
    -- $<TARGET_FILE:api_nodes>)
  set_tests_properties(api_nodes PROPERTIES
    PASS_REGULAR_EXPRESSION "2 workers a node, as told"
    TIMEOUT ${gv_script_seconds} LABELS process ENVIRONMENT "OMP_NUM_THREADS=1")
endif()
