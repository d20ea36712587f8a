gv_layer(gossip
  SOURCES allowance.cpp averager.cpp averager_peers.cpp dynamics.cpp flows.cpp control_channel.cpp neighbours.cpp pairing.cpp
    piece_exchange.cpp replica.cpp progress_estimator.cpp
    virtual_gossip.cpp virtual_state.cpp virtual_times.cpp
  DEPS Grapevine::arena Grapevine::graph Grapevine::kernel Grapevine::optim
    Grapevine::runtime Grapevine::transport nlohmann_json::nlohmann_json fmt::fmt)
