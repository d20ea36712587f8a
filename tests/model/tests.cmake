gv_layer_test(model TORCH TIMEOUT 300 DEPS Grapevine::model)
