gv_layer_test(api TORCH DEPS Grapevine::api)
