gv_layer_test(record DEPS Grapevine::record)
target_compile_definitions(record_test PRIVATE
  GV_FORMATS_PAGE="${PROJECT_SOURCE_DIR}/docs/formats.md")
