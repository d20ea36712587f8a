gv_layer_test(graph DEPS Grapevine::graph Eigen3::Eigen)
