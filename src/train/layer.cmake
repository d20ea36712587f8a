gv_layer(train TORCH
  SOURCES
    best.cpp best_replica.cpp build_info.cpp compute_meter.cpp estimate.cpp evaluation_set.cpp
    evaluator.cpp gossip_finish.cpp gossip_records.cpp gossip_row.cpp
    gossip_run.cpp gossip_config.cpp gossip_times.cpp measure.cpp
    moving_average.cpp offline.cpp plan_measure.cpp planes.cpp restore_newest.cpp result.cpp run.cpp
    run_checkpoint.cpp run_evaluation.cpp run_directory_setup.cpp run_probe.cpp run_records.cpp run_timeline.cpp run_config.cpp
    report_result.cpp timeline_record.cpp torch_threads.cpp trainer.cpp translation.cpp virtual_clock.cpp virtual_gossip_checkpoint.cpp
    virtual_gossip_records.cpp virtual_gossip_run.cpp virtual_watch.cpp worker.cpp
  DEPS
    Grapevine::cluster Grapevine::gossip Grapevine::bind Grapevine::data Grapevine::model
    Grapevine::optim Grapevine::probe Grapevine::record Grapevine::runtime
    Grapevine::spec Grapevine::transport nlohmann_json::nlohmann_json
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
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/train/build_info.cpp
  PROPERTIES COMPILE_DEFINITIONS "GV_GIT_STATE=\"${gv_git_state}\"")
target_compile_definitions(gv_train PRIVATE GV_VERSION="${PROJECT_VERSION}")
# Most of it never sees torch.
get_target_property(gv_train_sources gv_train SOURCES)
list(FILTER gv_train_sources EXCLUDE REGEX "build_info|torch_threads|worker")
set_source_files_properties(${gv_train_sources}
  PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
