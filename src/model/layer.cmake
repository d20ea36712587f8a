gv_layer(model TORCH
  SOURCES
    cnn.cpp dropout.cpp gpt.cpp initial.cpp layers.cpp mlp.cpp resnet.cpp
    zoo.cpp
  DEPS Grapevine::base)
