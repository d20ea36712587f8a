gv_layer_test(tensor DEPS Grapevine::tensor)
gv_layer_test(tensor_torch TORCH FOLDER tensor/bind DEPS Grapevine::tensor_torch)
