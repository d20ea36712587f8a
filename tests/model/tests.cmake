gv_layer_test(model TORCH COST 20
  DEPS Grapevine::model fmt::fmt nlohmann_json::nlohmann_json)
target_compile_definitions(model_test PRIVATE
  GV_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
