gv_layer(member
  DEPS Grapevine::net)
