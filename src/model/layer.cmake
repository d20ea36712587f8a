gv_layer(model TORCH
  SOURCES cnn.cpp initial.cpp layers.cpp mlp.cpp resnet.cpp zoo.cpp
  DEPS Grapevine::base)
