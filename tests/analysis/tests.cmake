gv_layer_test(analysis DEPS Grapevine::analysis)
