gv_layer_test(member DEPS Grapevine::member)
