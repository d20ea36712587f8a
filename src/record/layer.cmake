gv_layer(record
  DEPS Grapevine::base nlohmann_json::nlohmann_json simdjson::simdjson
  PRIVATE_DEPS ZLIB::ZLIB)
