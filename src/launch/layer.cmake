gv_layer(launch
  SOURCES launch.cpp workers.cpp after_failure.cpp spawn.cpp worker_environment.cpp signal_inbox.cpp
  DEPS Grapevine::base Grapevine::transport)
