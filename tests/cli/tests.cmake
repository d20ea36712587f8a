gv_layer_test(cli EACH
  DEPS Grapevine::cli nlohmann_json::nlohmann_json
  LABELS process
  COST 2)
if(TARGET cli_test)
  add_dependencies(cli_test grapevine)
  target_compile_definitions(cli_test PRIVATE
    GV_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endif()
