gv_layer(graph
  SOURCES
    mixing.cpp
    # static graphs
    ring.cpp torus.cpp exponential.cpp complete.cpp lattice.cpp hypercube.cpp
    star.cpp random_regular.cpp edge_list.cpp edges.cpp
    # schedules
    one_peer_ring.cpp one_peer_exponential.cpp aer.cpp random_matching.cpp
    one_peer_directed.cpp directed_edges.cpp push_schedule.cpp
    butterfly.cpp ada.cpp
    cyclic_schedule.cpp schedule.cpp requirements.cpp connected.cpp
    # analysis
    pair_rates.cpp translations.cpp lanczos.cpp laplacian.cpp
    period_product.cpp spectrum.cpp draw.cpp
  DEPS Grapevine::base fmt::fmt
  PRIVATE_DEPS Eigen3::Eigen)
