gv_layer(launch
  SOURCES launch.cpp spawn.cpp signal_inbox.cpp
  DEPS Grapevine::base
  PRIVATE_DEPS Grapevine::transport)
