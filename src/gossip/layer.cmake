gv_layer(gossip
  DEPS Grapevine::algo Grapevine::graph Grapevine::member Grapevine::net
    Grapevine::tensor nlohmann_json::nlohmann_json)
