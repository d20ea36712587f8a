gv_layer(cluster
  SOURCES invariants.cpp process_cluster.cpp stepper.cpp virtual_cluster.cpp
  DEPS Grapevine::algo Grapevine::comm Grapevine::graph)
