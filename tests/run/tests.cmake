gv_layer_test(run TORCH DEPS Grapevine::run)

gv_layer_test(library TORCH FOLDER run/library DEPS Grapevine::library)
# Nodes as launchers tell them, in processes.
add_executable(library_nodes
  ${CMAKE_CURRENT_LIST_DIR}/library/process/nodes.cpp)
target_link_libraries(library_nodes PRIVATE Grapevine::grapevine gv_flags)
gv_torch_target(library_nodes)
if(TARGET grapevine)
  add_test(NAME library_nodes COMMAND grapevine launch -n 4 --workers-per-node 2
    -- $<TARGET_FILE:library_nodes>)
  set_tests_properties(library_nodes PROPERTIES
    PASS_REGULAR_EXPRESSION "2 workers a node, as told"
    TIMEOUT ${gv_script_seconds} LABELS process ENVIRONMENT "OMP_NUM_THREADS=1")
endif()
