# The report's page: web/ bundled into one HTML file, which the program carries
# inside. Gives the library Grapevine::report_page (report/page.h).
#
# Everything npm does happens in ${PROJECT_BINARY_DIR}/web, on a copy of web/,
# so the source tree stays as it was checked out.

option(GV_REPORT_PAGE "Bundle the report's HTML page (needs node and npm)" ON)

set(gv_web_source ${PROJECT_SOURCE_DIR}/web)
set(gv_web_build ${PROJECT_BINARY_DIR}/web)

function(gv_bundle_page)
  find_program(GV_NODE NAMES node nodejs)
  find_program(GV_NPM npm)
  if(NOT GV_NODE OR NOT GV_NPM)
    message(FATAL_ERROR
      "The report's page is bundled with node and npm (apt-get install nodejs "
      "npm), which are not here. -DGV_REPORT_PAGE=OFF builds without the page.")
  endif()

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
    ${gv_web_source}/src/* ${gv_web_source}/test/*)
  set(settings package.json package-lock.json tsconfig.json vitest.config.ts
    build.mjs)
  list(TRANSFORM settings PREPEND ${gv_web_source}/)

  # No scripts of the packages are run: none of those used needs its own.
  add_custom_command(OUTPUT ${gv_web_build}/npm.stamp
    COMMAND ${CMAKE_COMMAND} -E make_directory ${gv_web_build}
    COMMAND ${CMAKE_COMMAND} -E copy
      ${gv_web_source}/package.json ${gv_web_source}/package-lock.json
      ${gv_web_build}
    COMMAND ${CMAKE_COMMAND} -E chdir ${gv_web_build}
      ${GV_NPM} ci --ignore-scripts --no-audit --no-fund
        --no-update-notifier --loglevel=error
    COMMAND ${CMAKE_COMMAND} -E touch ${gv_web_build}/npm.stamp
    DEPENDS ${gv_web_source}/package.json ${gv_web_source}/package-lock.json
    COMMENT "Installing the report page's npm packages"
    VERBATIM)

  # The old copy goes first, so that files that are gone are gone there too.
  add_custom_command(OUTPUT ${gv_web_build}/page.html
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${gv_web_build}/src ${gv_web_build}/test
    COMMAND ${CMAKE_COMMAND} -E copy_directory
      ${gv_web_source}/src ${gv_web_build}/src
    COMMAND ${CMAKE_COMMAND} -E copy_directory
      ${gv_web_source}/test ${gv_web_build}/test
    COMMAND ${CMAKE_COMMAND} -E copy ${settings} ${gv_web_build}
    COMMAND ${GV_NODE} ${gv_web_build}/build.mjs ${gv_web_build}/page.html
    DEPENDS ${gv_web_build}/npm.stamp ${sources} ${settings}
    COMMENT "Bundling the report's page"
    VERBATIM)
endfunction()

function(gv_report_page_library)
  if(GV_REPORT_PAGE)
    gv_bundle_page()
    set(source page_template.cpp)
  else()
    set(source no_page_template.cpp)
  endif()
  add_library(gv_report_page STATIC ${PROJECT_SOURCE_DIR}/src/report/${source})
  add_library(Grapevine::report_page ALIAS gv_report_page)
  set_target_properties(gv_report_page PROPERTIES EXPORT_NAME report_page)
  target_include_directories(gv_report_page PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
  target_link_libraries(gv_report_page PRIVATE $<BUILD_INTERFACE:gv_flags>)
  set_property(GLOBAL APPEND PROPERTY GV_LAYERS gv_report_page)
  if(GV_REPORT_PAGE)
    set_source_files_properties(
      ${PROJECT_SOURCE_DIR}/src/report/page_template.cpp PROPERTIES
      OBJECT_DEPENDS ${gv_web_build}/page.html
      COMPILE_DEFINITIONS GV_PAGE_FILE="${gv_web_build}/page.html")
  endif()
endfunction()

# The front end's own tests, on the copy in the build tree. Call it where
# testing is enabled.
function(gv_report_page_tests)
  if(NOT GV_REPORT_PAGE)
    return()
  endif()
  add_test(NAME web_unit
    COMMAND ${GV_NPM} test --silent WORKING_DIRECTORY ${gv_web_build})
  # Not `unit`: those run under the sanitizers, which have no page to check.
  set_tests_properties(web_unit PROPERTIES LABELS web TIMEOUT 600)
  # Without a browser the test fails and says so; it is not left out.
  add_test(NAME web_browser
    COMMAND ${GV_NPM} run --silent test:browser
    WORKING_DIRECTORY ${gv_web_build})
  set_tests_properties(web_browser PROPERTIES LABELS process TIMEOUT 1800 COST 90
    ENVIRONMENT "GRAPEVINE_PROGRAM=$<TARGET_FILE:grapevine>;OMP_NUM_THREADS=1;GV_PAGE=${gv_web_build}/page.html")
endfunction()

gv_report_page_library()
