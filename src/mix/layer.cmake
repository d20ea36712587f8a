gv_layer(mix
  DEPS Grapevine::algo Grapevine::graph Grapevine::tensor Grapevine::net)
