gv_layer(algo
  SOURCES agreement.cpp
  DEPS Grapevine::arena Grapevine::optim)
