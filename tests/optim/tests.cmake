gv_layer_test(optim TORCH DEPS Grapevine::optim)
