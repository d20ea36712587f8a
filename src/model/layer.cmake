gv_layer(model TORCH
  SOURCES
    cnn.cpp dropout.cpp gpt.cpp initial.cpp layers.cpp mlp.cpp resnet.cpp
    script_model.cpp zoo.cpp
  DEPS Grapevine::base)
target_include_directories(gv_model PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
