gv_layer_test(gossip DEPS Grapevine::gossip LABELS unit)
