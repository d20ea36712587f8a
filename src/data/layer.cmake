gv_layer(data
  SOURCES
    augment.cpp bleu.cpp bpe.cpp bpe_file.cpp bpe_train.cpp
    catalogue.cpp checksum.cpp cifar10.cpp data_path.cpp datasets.cpp
    dirichlet.cpp download.cpp epoch_orders.cpp fashion_mnist.cpp file.cpp
    gunzip.cpp http.cpp idx.cpp image_box.cpp image_folder.cpp image_index.cpp
    image_source.cpp imagenet.cpp jpeg.cpp length_sharder.cpp loader.cpp
    locate.cpp parallel_text.cpp resample.cpp sharder.cpp shuffled_sharder.cpp source.cpp
    split.cpp
    stream_sharder.cpp subset.cpp synthetic.cpp tar.cpp text.cpp
    wikitext2.cpp windows.cpp words.cpp
  DEPS Grapevine::base
  PRIVATE_DEPS ZLIB::ZLIB Grapevine::turbojpeg CURL::libcurl OpenSSL::Crypto)
