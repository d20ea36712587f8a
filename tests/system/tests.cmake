gv_layer_test(system EACH
  DEPS Grapevine::cli nlohmann_json::nlohmann_json
  LABELS process
  COST 5
  LONG "Gossip[.]|Failure[.]Stopped"
  LAST "[.](BadWorld|Failure|Gossip)[.]")
if(TARGET system_test)
  add_dependencies(system_test grapevine)
  # Skips where test hosts cannot be made.
  add_test(NAME hosts_cut_off COMMAND
    ${CMAKE_CURRENT_LIST_DIR}/hosts/cut-off $<TARGET_FILE:grapevine>)
  set_tests_properties(hosts_cut_off PROPERTIES
    SKIP_RETURN_CODE 77 TIMEOUT ${gv_script_seconds} LABELS hosts RESOURCE_LOCK hosts)
endif()
