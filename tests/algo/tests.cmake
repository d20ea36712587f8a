gv_layer_test(algo DEPS Grapevine::algo)
# Against torch's own optimizers.
gv_layer_test(algo_torch TORCH FOLDER algo/torch DEPS Grapevine::algo)
