gv_layer(sweep
  SOURCES forecast.cpp machine.cpp scheduler.cpp stored_state.cpp sweep.cpp
    time_left.cpp
  DEPS Grapevine::base Grapevine::spec Grapevine::record
  PRIVATE_DEPS nlohmann_json::nlohmann_json fmt::fmt)
