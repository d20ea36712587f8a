gv_layer(runtime
  SOURCES costs.cpp costs_json.cpp network.cpp round_maker.cpp exchange.cpp
    ring_exchange.cpp comm_threads.cpp
    recursion.cpp compute_times.cpp model.cpp matchings.cpp measure_links.cpp
    link_levels.cpp
  DEPS Grapevine::algo Grapevine::base Grapevine::comm Grapevine::transport
  PRIVATE_DEPS nlohmann_json::nlohmann_json)
