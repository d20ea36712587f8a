gv_layer_test(kernel DEPS Grapevine::kernel)
