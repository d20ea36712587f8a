gv_layer(data
  SOURCES
    augment.cpp bleu.cpp bpe.cpp bpe_file.cpp bpe_train.cpp catalogue.cpp
    checksum.cpp data_path.cpp dirichlet.cpp download.cpp epoch_orders.cpp
    file.cpp gunzip.cpp http.cpp idx.cpp image_box.cpp image_folder.cpp
    image_index.cpp image_source.cpp jpeg.cpp length_sharder.cpp loader.cpp
    locate.cpp resample.cpp sharder.cpp shuffled_sharder.cpp source.cpp
    split.cpp stream_sharder.cpp subset.cpp tar.cpp windows.cpp words.cpp
    sets/fashion_mnist.cpp sets/cifar10.cpp sets/imagenet.cpp sets/text.cpp
    sets/wikitext2.cpp sets/parallel_text.cpp sets/synthetic.cpp sets/table.cpp
  DEPS Grapevine::base
  PRIVATE_DEPS ZLIB::ZLIB LibArchive::LibArchive Grapevine::turbojpeg
    CURL::libcurl OpenSSL::Crypto)
