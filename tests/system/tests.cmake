gv_layer_test(system
  DEPS Grapevine::base nlohmann_json::nlohmann_json
  LABELS process
  TIMEOUT 1800)
if(TARGET system_test)
  add_dependencies(system_test grapevine)
  # Alone: its deadlines of seconds are those of real waits.
  set_tests_properties(system PROPERTIES RUN_SERIAL ON)
endif()
