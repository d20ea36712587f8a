gv_layer_test(model TORCH DEPS Grapevine::model)
