gv_layer_test(planner DEPS Grapevine::planner)
target_compile_definitions(planner_test PRIVATE
  GV_EXPERIMENTS="${PROJECT_SOURCE_DIR}/experiments")
