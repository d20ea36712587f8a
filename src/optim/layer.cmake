gv_layer(optim
  SOURCES accum_adam.cpp clip.cpp adam.cpp lr_schedule.cpp rules.cpp sgd.cpp
  DEPS Grapevine::arena Grapevine::kernel)
