gv_layer(algo
  SOURCES agreement.cpp gradient_tracking.cpp
  DEPS Grapevine::kernel Grapevine::arena Grapevine::optim)
