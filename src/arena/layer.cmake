gv_layer(arena
  SOURCES arena.cpp buckets.cpp layout.cpp
  DEPS Grapevine::base Grapevine::kernel)
