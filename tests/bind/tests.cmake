gv_layer_test(bind TORCH DEPS Grapevine::bind)
