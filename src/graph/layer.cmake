gv_layer(graph
  DEPS Grapevine::base fmt::fmt
  PRIVATE_DEPS Eigen3::Eigen)
