gv_layer(planner
  SOURCES candidates.cpp course.cpp gossip_forecast.cpp plan_json.cpp predict.cpp question.cpp
    recommend.cpp sweep.cpp trial.cpp trials.cpp
  DEPS Grapevine::gossip Grapevine::runtime Grapevine::graph nlohmann_json::nlohmann_json)
