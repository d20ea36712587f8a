gv_layer_test(cluster DEPS Grapevine::cluster LABELS "unit;ranks")
