gv_layer_test(mix DEPS Grapevine::mix LABELS "unit;ranks")

# Limited links against real ones, in a short form (./dev perf links is the
# long one). Skips where test hosts cannot be made.
add_executable(link_probe ${CMAKE_CURRENT_LIST_DIR}/hosts/link_probe.cpp)
target_link_libraries(link_probe PRIVATE Grapevine::mix gv_flags)
if(TARGET grapevine)
  add_test(NAME hosts_links COMMAND
    ${CMAKE_CURRENT_LIST_DIR}/hosts/compare-links
    $<TARGET_FILE:link_probe> $<TARGET_FILE:grapevine> 5000000 3 50mbit)
  # A slow line: a busy machine is late by some 10 ms.
  set_tests_properties(hosts_links PROPERTIES
    SKIP_RETURN_CODE 77 TIMEOUT ${gv_script_seconds} LABELS hosts RUN_SERIAL ON)
endif()
