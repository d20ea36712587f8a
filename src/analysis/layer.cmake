gv_layer(analysis
  SOURCES
    # statistics
    bootstrap.cpp spearman.cpp statistics.cpp student.cpp
    # reading
    buckets.cpp budget.cpp detail_reader.cpp find_runs.cpp gossip_tables.cpp
    grouping.cpp load.cpp outliers.cpp replica_distances.cpp run_data.cpp
    run_header.cpp run_reader.cpp
    run_tables.cpp timeline.cpp
    # saying
    analysis.cpp blame.cpp comparisons.cpp correlations.cpp findings.cpp
    gossip.cpp graph_frames.cpp rankings.cpp sample.cpp
  DEPS Grapevine::base Grapevine::probe Grapevine::graph Grapevine::spec
    Grapevine::record)
