# The library that users link; the program's part of the folder is gv_run.
gv_layer(library TORCH FOLDER run/library
  DEPS Grapevine::mix Grapevine::tensor_torch Grapevine::record)
target_include_directories(gv_library PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

gv_layer(run TORCH EXCLUDE library/
  DEPS
    Grapevine::mix Grapevine::gossip Grapevine::sim Grapevine::tensor_torch
    Grapevine::data Grapevine::model Grapevine::record Grapevine::spec
  PRIVATE_DEPS ${CMAKE_DL_LIBS})
# Which state of the sources this is, as of the last commit or configuration.
set(gv_git_log ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
set(gv_git_state "unknown")
if(EXISTS ${gv_git_log})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${gv_git_log})
  execute_process(
    COMMAND git -C ${PROJECT_SOURCE_DIR} describe --always --dirty
    OUTPUT_VARIABLE gv_git_state OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/run/build_info.cpp
  PROPERTIES COMPILE_DEFINITIONS "GV_GIT_STATE=\"${gv_git_state}\"")
target_compile_definitions(gv_run PRIVATE GV_VERSION="${PROJECT_VERSION}")
# Most of it never sees torch.
get_target_property(gv_run_sources gv_run SOURCES)
list(FILTER gv_run_sources EXCLUDE REGEX "build_info|worker")
set_source_files_properties(${gv_run_sources}
  PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
