gv_layer(model TORCH
  SOURCES
    attention.cpp beam_search.cpp
    cnn.cpp dropout.cpp gpt.cpp initial.cpp layers.cpp mlp.cpp resnet.cpp
    initial_draw.cpp lstm.cpp text_models.cpp transformer.cpp
    transformer_layers.cpp
    script_model.cpp zoo.cpp
  DEPS Grapevine::base)
target_include_directories(gv_model PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
