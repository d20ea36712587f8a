gv_layer_test(launch DEPS Grapevine::launch LABELS process)
