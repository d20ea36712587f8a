gv_layer(spec
  SOURCES format.cpp kinds.cpp matrix.cpp parse.cpp presets.cpp spec_table.cpp
    toml_file.cpp validate.cpp values.cpp
  DEPS Grapevine::base Grapevine::graph Grapevine::optim Grapevine::runtime
  PRIVATE_DEPS tomlplusplus::tomlplusplus)
