gv_layer(data
  DEPS Grapevine::base
  PRIVATE_DEPS ZLIB::ZLIB LibArchive::LibArchive Grapevine::turbojpeg
    CURL::libcurl OpenSSL::Crypto)
