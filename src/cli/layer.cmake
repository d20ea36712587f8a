# The default benchmark and the version are put into the program, so that an
# installed one needs no files beside it.
set(GV_DEFAULT_BENCH_NAME experiments/fashion-mnist-96.toml)
set(gv_default_bench_file ${PROJECT_SOURCE_DIR}/${GV_DEFAULT_BENCH_NAME})
set_property(DIRECTORY APPEND PROPERTY
  CMAKE_CONFIGURE_DEPENDS ${gv_default_bench_file})
file(READ ${gv_default_bench_file} GV_DEFAULT_BENCH)
set(gv_cli_generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
configure_file(${CMAKE_CURRENT_SOURCE_DIR}/cli/default_bench.cpp.in
  ${gv_cli_generated}/cli/default_bench.cpp @ONLY)
configure_file(${CMAKE_CURRENT_SOURCE_DIR}/cli/version.h.in
  ${gv_cli_generated}/cli/version.h @ONLY)

# The zoo needs torch; the verbs do not see it.
add_library(gv_cli_models STATIC
  ${CMAKE_CURRENT_SOURCE_DIR}/cli/torch/model_list.cpp)
target_link_libraries(gv_cli_models
  PUBLIC Grapevine::model
  PRIVATE $<BUILD_INTERFACE:gv_flags>)
gv_torch_target(gv_cli_models)

add_library(gv_cli STATIC)
target_sources(gv_cli PRIVATE ${gv_cli_generated}/cli/default_bench.cpp)
foreach(source
    bench_needs bench_plan bench_report bench_runner bench_verb bpe_action console
    data_verb dry_run eval_verb export_verb gossip_text graph_facts graph_verb
    interrupt launch_verb models_verb one_of_many own_program plan_measure plan_page plan_question
    plan_text plan_verb prepare program progress report_text report_verb
    run_argument run_summary run_text spec_flags summary_table sweep_text
    sweep_view table train_verb units verb_table)
  target_sources(gv_cli PRIVATE
    ${CMAKE_CURRENT_SOURCE_DIR}/cli/${source}.cpp)
endforeach()
target_include_directories(gv_cli PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
  $<BUILD_INTERFACE:${gv_cli_generated}>
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(gv_cli
  PUBLIC Grapevine::spec Grapevine::sweep Grapevine::report Grapevine::train
    Grapevine::launch Grapevine::graph Grapevine::comm Grapevine::planner
    Grapevine::data Grapevine::record Grapevine::transport
  PRIVATE gv_cli_models $<BUILD_INTERFACE:gv_flags>)
add_library(Grapevine::cli ALIAS gv_cli)
# To users: a program of their own that is grapevine, and more.
set_target_properties(gv_cli PROPERTIES EXPORT_NAME program)
add_library(Grapevine::program ALIAS gv_cli)
set_property(GLOBAL APPEND PROPERTY GV_LAYERS gv_cli gv_cli_models)

add_executable(grapevine ${CMAKE_CURRENT_SOURCE_DIR}/cli/main.cpp)
target_link_libraries(grapevine PRIVATE
  gv_cli Grapevine::gloo_getpeername_shim gv_flags)
set_target_properties(grapevine PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
install(TARGETS grapevine)
