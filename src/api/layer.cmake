gv_layer(api TORCH
  SOURCES data_parallel.cpp group.cpp optimizer.cpp
  DEPS Grapevine::cluster Grapevine::bind Grapevine::optim Grapevine::probe)
target_include_directories(gv_api PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
