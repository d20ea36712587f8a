gv_layer_test(train TORCH DEPS Grapevine::train)
