gv_layer(optim
  SOURCES lr_schedule.cpp sgd.cpp
  DEPS Grapevine::arena Grapevine::kernel)
