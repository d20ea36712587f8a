gv_layer_test(system
  DEPS Grapevine::cli nlohmann_json::nlohmann_json
  LABELS process
  COST 130)
if(TARGET system_test)
  add_dependencies(system_test grapevine)
  # What waits for deadlines of seconds comes when the tests that take a core
  # for long are over.
  set(gv_failures "BadWorld.*:Failure.*")
  set(gv_gossip "Gossip.*")
  get_test_property(system ENVIRONMENT gv_environment)
  foreach(part failures gossip)
    add_test(NAME system_${part} COMMAND system_test)
    set_tests_properties(system_${part} PROPERTIES
      TIMEOUT ${gv_test_timeout} LABELS process
      DEPENDS "cli;model;overlap;system;transport_process;web_browser"
      ENVIRONMENT "${gv_environment};GTEST_FILTER=${gv_${part}}")
  endforeach()
  set_tests_properties(system PROPERTIES
    ENVIRONMENT "${gv_environment};GTEST_FILTER=-${gv_failures}:${gv_gossip}")
  # Skips where test hosts cannot be made.
  add_test(NAME hosts_cut_off COMMAND
    ${CMAKE_CURRENT_LIST_DIR}/hosts/cut-off $<TARGET_FILE:grapevine>)
  set_tests_properties(hosts_cut_off PROPERTIES
    SKIP_RETURN_CODE 77 TIMEOUT ${gv_test_timeout} LABELS hosts RESOURCE_LOCK hosts)
endif()
