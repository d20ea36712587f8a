gv_layer(planner
  SOURCES candidates.cpp predict.cpp sweep.cpp recommend.cpp plan_json.cpp
  DEPS Grapevine::runtime Grapevine::graph nlohmann_json::nlohmann_json)
