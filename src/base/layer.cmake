gv_layer(base
  DEPS fmt::fmt Threads::Threads
  PRIVATE_DEPS OpenSSL::Crypto)
