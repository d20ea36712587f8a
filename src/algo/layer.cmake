gv_layer(algo
  DEPS Grapevine::tensor
  PRIVATE_DEPS Grapevine::graph)
