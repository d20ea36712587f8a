gv_layer(bind TORCH
  SOURCES bind.cpp gradient_hooks.cpp
  DEPS Grapevine::arena)
