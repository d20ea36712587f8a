gv_layer(algo
  SOURCES ada_control.cpp agreement.cpp gradient_tracking.cpp
  DEPS Grapevine::kernel Grapevine::arena Grapevine::optim
  PRIVATE_DEPS Grapevine::graph)
