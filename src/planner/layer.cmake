gv_layer(planner
  SOURCES candidates.cpp gossip_forecast.cpp predict.cpp sweep.cpp recommend.cpp plan_json.cpp
  DEPS Grapevine::gossip Grapevine::runtime Grapevine::graph nlohmann_json::nlohmann_json)
