gv_layer_test(report DEPS Grapevine::report)
# Measures, and is no test: see its first comment.
add_executable(big_report ${CMAKE_CURRENT_SOURCE_DIR}/report/big_report.cpp)
target_include_directories(big_report PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(big_report PRIVATE Grapevine::report gv_flags)
# What reads and reports runs does without torch.
add_test(NAME no_torch COMMAND ${PROJECT_SOURCE_DIR}/tools/check-no-torch
  $<TARGET_FILE:big_report> $<TARGET_FILE:sweep_test>)
set_tests_properties(no_torch PROPERTIES LABELS unit TIMEOUT 60)
