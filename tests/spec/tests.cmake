gv_layer_test(spec DEPS Grapevine::spec)
