gv_layer_test(algo DEPS Grapevine::algo)
