gv_layer(model TORCH
  DEPS Grapevine::base)
target_include_directories(gv_model PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
