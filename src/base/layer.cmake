gv_layer(base
  SOURCES aligned.cpp check.cpp give_way.cpp heap.cpp host_name.cpp job_queue.cpp json_depth.cpp names.cpp random.cpp sha256.cpp shared_memory.cpp thread_pool.cpp
  DEPS fmt::fmt Threads::Threads
  PRIVATE_DEPS OpenSSL::Crypto)
