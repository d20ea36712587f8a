gv_layer(spec
  DEPS Grapevine::algo Grapevine::graph
  PRIVATE_DEPS tomlplusplus::tomlplusplus)
