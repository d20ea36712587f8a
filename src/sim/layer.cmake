gv_layer(sim
  DEPS Grapevine::algo Grapevine::gossip Grapevine::graph Grapevine::mix
    nlohmann_json::nlohmann_json)
