gv_layer(model TORCH
  SOURCES
    attention.cpp beam_search.cpp cnn.cpp densenet.cpp dropout.cpp gpt.cpp
    initial.cpp initial_draw.cpp layers.cpp lstm.cpp mlp.cpp resnet.cpp
    script_model.cpp text_models.cpp transformer.cpp transformer_layers.cpp
    zoo.cpp
  DEPS Grapevine::base)
target_include_directories(gv_model PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
