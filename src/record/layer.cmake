gv_layer(record
  SOURCES atomic_file.cpp attempts.cpp checkpoint.cpp json_fields.cpp
    line_file.cpp posix.cpp record_reader.cpp record_scanner.cpp
    record_writer.cpp run_directory.cpp run_lock.cpp
    safetensors_reader.cpp safetensors_writer.cpp
  DEPS Grapevine::base nlohmann_json::nlohmann_json fmt::fmt
    simdjson::simdjson
  PRIVATE_DEPS ZLIB::ZLIB)
