gv_layer(cluster
  SOURCES bucket_queue.cpp invariants.cpp process_cluster.cpp step_measures.cpp
    stepper.cpp stepper_check.cpp virtual_cluster.cpp
  DEPS Grapevine::algo Grapevine::comm Grapevine::graph)
