gv_layer_test(comm DEPS Grapevine::comm LABELS ranks TIMEOUT 300)
