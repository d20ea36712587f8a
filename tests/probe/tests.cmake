gv_layer_test(probe DEPS Grapevine::probe)
