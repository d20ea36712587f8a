gv_layer(spec
  SOURCES format.cpp kinds.cpp matrix.cpp parse.cpp presets.cpp spec_table.cpp
    toml_file.cpp validate.cpp values.cpp
  DEPS Grapevine::algo Grapevine::base Grapevine::graph Grapevine::optim
  PRIVATE_DEPS tomlplusplus::tomlplusplus)
