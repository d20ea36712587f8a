gv_layer(gossip
  SOURCES allowance.cpp dynamics.cpp neighbours.cpp pairing.cpp replica.cpp
    virtual_gossip.cpp virtual_state.cpp
  DEPS Grapevine::arena Grapevine::graph Grapevine::kernel Grapevine::optim
    Grapevine::transport nlohmann_json::nlohmann_json fmt::fmt)
