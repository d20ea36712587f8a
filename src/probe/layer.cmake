gv_layer(probe
  SOURCES
    consensus.cpp consensus_sample.cpp norm_sample.cpp sketch.cpp spans.cpp
    # metrics
    coefficient_of_variation.cpp gini.cpp index_of_dispersion.cpp
    metric_table.cpp quartile_coefficient.cpp
  DEPS Grapevine::base)
