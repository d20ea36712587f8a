gv_layer(sweep
  DEPS Grapevine::spec Grapevine::record
  PRIVATE_DEPS nlohmann_json::nlohmann_json)
