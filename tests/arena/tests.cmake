gv_layer_test(arena DEPS Grapevine::arena)
