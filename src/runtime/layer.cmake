gv_layer(runtime
  SOURCES costs.cpp costs_json.cpp network.cpp exchange.cpp comm_threads.cpp
    recursion.cpp compute_times.cpp model.cpp
  DEPS Grapevine::base Grapevine::comm Grapevine::transport
  PRIVATE_DEPS nlohmann_json::nlohmann_json)
