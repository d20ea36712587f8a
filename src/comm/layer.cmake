gv_layer(comm
  SOURCES program.cpp compiled_dataflow.cpp plan.cpp cost.cpp direct_plan.cpp
    group_plan.cpp node_plan.cpp doubling_plan.cpp block_scan_plan.cpp make_plan.cpp
    virtual_mixer.cpp flight_recorder.cpp chunks.cpp link.cpp mix_executor.cpp
    windows.cpp inbox_executor.cpp exchange.cpp near_exchange.cpp exchanger.cpp collectives.cpp communicator.cpp
    comm_thread.cpp fingerprint.cpp find_nodes.cpp
  DEPS Grapevine::base Grapevine::graph Grapevine::kernel Grapevine::transport)
