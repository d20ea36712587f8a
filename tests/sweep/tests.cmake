gv_layer_test(sweep DEPS Grapevine::sweep nlohmann_json::nlohmann_json)
