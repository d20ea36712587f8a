// What `grapevine graph` says: how well a schedule mixes and what it costs.
#pragma once

#include "graph/schedule.h"
#include "graph/spectrum.h"

#include <cstdint>
#include <optional>
#include <string>

namespace grapevine::cli {

struct GraphQuestion {
  std::string name;
  int64_t model_bytes = 100'000'000;
  int workers_per_node = 1;
  // One step alone; otherwise all that the schedule's analysis looks at.
  std::optional<graph::StepTime> moment;
};

struct GraphFacts {
  std::string name;
  int n;
  graph::Spectrum spectrum;
  std::string plan;             // names of the plans in use, "groups, identity"
  std::string plan_description; // of the first step
  // Sent by one worker, the largest; mean over the steps looked at.
  double messages;
  double copies;
  // Sent by one node to others, the same way; as copies for nodes of one.
  double node_copies;
};

GraphFacts graph_facts(
    const graph::Schedule& schedule,
    const GraphQuestion& question);

} // namespace grapevine::cli
