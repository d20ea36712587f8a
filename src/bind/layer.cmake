gv_layer(bind TORCH
  SOURCES bind.cpp
  DEPS Grapevine::arena)
