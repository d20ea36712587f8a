gv_layer(arena
  SOURCES arena.cpp layout.cpp
  DEPS Grapevine::base Grapevine::kernel)
