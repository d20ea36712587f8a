# Run by ctest: adds the entries of one googletest program, as
# gv_discover_tests (tests/CMakeLists.txt) has set gv_program, gv_name, gv_each,
# gv_labels, gv_cost, gv_seconds, gv_environment, gv_long and gv_last.
#
# A program that loads torch takes 0.3 s to start. Its tests share an entry per
# suite (NAME.Suite) unless gv_each is on; all others have their own
# (NAME.Suite.Test). Every test has its own time limit either way, which
# tests/main.cpp keeps; ctest's is the one for a process that does not end then.
if(NOT EXISTS ${gv_program})
  add_test(${gv_name}.NOT_BUILT ${gv_program})
  set_tests_properties(${gv_name}.NOT_BUILT PROPERTIES LABELS "${gv_labels}")
  return()
endif()

function(gv_add_entry entry filter limit)
  set(seconds ${gv_seconds})
  set(cost ${gv_cost})
  set(processors 1)
  if(gv_long AND entry MATCHES "${gv_long}")
    math(EXPR seconds "3 * ${gv_seconds}")
    set(cost 30)
  endif()
  if(gv_last AND entry MATCHES "${gv_last}")
    set(cost 0.1)
    set(processors 2)
  endif()
  if(limit LESS seconds)
    math(EXPR limit "${seconds} + 10")
  endif()
  set(environment
    "${gv_environment};GTEST_BRIEF=1;GRAPEVINE_TEST_SECONDS=${seconds}")
  file(APPEND ${gv_list} "\
add_test([==[${entry}]==] [==[${gv_program}]==]
  [==[--gtest_filter=${filter}]==])
set_tests_properties([==[${entry}]==] PROPERTIES
  TIMEOUT ${limit} LABELS [==[${gv_labels}]==] COST ${cost}
  PROCESSORS ${processors} ENVIRONMENT [==[${environment}]==])
")
endfunction()

set(gv_list ${gv_program}.entries.cmake)
if(${gv_program} IS_NEWER_THAN ${gv_list}
    OR ${gv_settings} IS_NEWER_THAN ${gv_list})
  execute_process(COMMAND ldd ${gv_program} OUTPUT_VARIABLE libraries)
  if(libraries MATCHES "libtorch_cpu" AND NOT gv_each)
    set(by_suite ON)
  else()
    set(by_suite OFF)
  endif()
  execute_process(COMMAND ${gv_program} --gtest_list_tests
    OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE " *#[^\n]*" "" lines "${lines}") # parameters' values
  string(REGEX MATCHALL "[^\n]+" lines "${lines}")
  file(WRITE ${gv_list} "")
  set(suite "")
  foreach(line ${lines})
    if(line MATCHES "^  (.*)$")
      if(NOT by_suite)
        gv_add_entry(${gv_name}.${suite}${CMAKE_MATCH_1}
          ${suite}${CMAKE_MATCH_1} 0)
      endif()
    elseif(line MATCHES "^([^ ]+[.])$")
      set(suite ${CMAKE_MATCH_1})
      if(by_suite)
        string(REGEX REPLACE "[.]$" "" name ${suite})
        math(EXPR limit "5 * ${gv_seconds}")
        gv_add_entry(${gv_name}.${name} ${suite}* ${limit})
      endif()
    endif()
  endforeach()
endif()
include(${gv_list})
