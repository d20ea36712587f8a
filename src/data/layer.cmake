gv_layer(data
  SOURCES
    catalogue.cpp checksum.cpp cifar10.cpp data_path.cpp datasets.cpp
    dirichlet.cpp download.cpp fashion_mnist.cpp file.cpp gunzip.cpp http.cpp idx.cpp
    image_source.cpp loader.cpp locate.cpp sharder.cpp source.cpp split.cpp
    subset.cpp synthetic.cpp tar.cpp text.cpp
  DEPS Grapevine::base
  PRIVATE_DEPS ZLIB::ZLIB CURL::libcurl OpenSSL::Crypto)
