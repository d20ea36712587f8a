gv_layer_test(optim DEPS Grapevine::optim)
