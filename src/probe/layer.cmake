gv_layer(probe
  SOURCES consensus.cpp dispersion.cpp spans.cpp
  DEPS Grapevine::base)
