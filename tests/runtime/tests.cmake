gv_layer_test(runtime DEPS Grapevine::runtime)
target_compile_definitions(runtime_test PRIVATE
  GV_DOCS="${PROJECT_SOURCE_DIR}/docs")
