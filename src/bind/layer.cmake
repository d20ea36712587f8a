gv_layer(bind TORCH
  SOURCES bind.cpp device_mirror.cpp gradient_hooks.cpp
  DEPS Grapevine::arena)
