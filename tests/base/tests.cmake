gv_layer_test(base DEPS Grapevine::base)
