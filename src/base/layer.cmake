gv_layer(base
  SOURCES aligned.cpp check.cpp compute_words.cpp give_way.cpp heap.cpp
    host_name.cpp job_queue.cpp json_depth.cpp link_options.cpp names.cpp
    random.cpp sha256.cpp shared_memory.cpp slow_options.cpp thread_pool.cpp
  DEPS fmt::fmt Threads::Threads
  PRIVATE_DEPS OpenSSL::Crypto)
