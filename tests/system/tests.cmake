gv_layer_test(system
  DEPS Grapevine::base nlohmann_json::nlohmann_json
  LABELS process
  TIMEOUT 1800)
if(TARGET system_test)
  add_dependencies(system_test grapevine)
  # Those whose deadlines of seconds are those of real waits have the machine
  # for themselves.
  set(gv_alone "BadWorld.*:Failure.*:Gossip.*:*Interruption.*:*Resume.*")
  get_test_property(system ENVIRONMENT gv_environment)
  add_test(NAME system_alone COMMAND system_test)
  set_tests_properties(system_alone PROPERTIES
    TIMEOUT 1800 LABELS process RUN_SERIAL ON
    ENVIRONMENT "${gv_environment};GTEST_FILTER=${gv_alone}")
  set_tests_properties(system PROPERTIES
    ENVIRONMENT "${gv_environment};GTEST_FILTER=-${gv_alone}")
endif()
