gv_layer_test(system
  DEPS Grapevine::base nlohmann_json::nlohmann_json
  LABELS process
  TIMEOUT 1800)
if(TARGET system_test)
  add_dependencies(system_test grapevine)
endif()
