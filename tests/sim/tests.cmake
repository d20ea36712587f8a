gv_layer_test(sim DEPS Grapevine::sim)
target_compile_definitions(sim_test PRIVATE
  GV_DOCS="${PROJECT_SOURCE_DIR}/docs"
  GV_EXPERIMENTS="${PROJECT_SOURCE_DIR}/experiments")
