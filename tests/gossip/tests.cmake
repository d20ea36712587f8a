gv_layer_test(gossip DEPS Grapevine::gossip)
