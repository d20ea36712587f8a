// One way to train n workers, algorithm x graph x degree, and what it takes.
#pragma once

#include "algo/agreement.h"
#include "graph/schedule.h"
#include "graph/spectrum.h"
#include "sim/model.h"
#include "sim/query.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace grapevine::sim {

struct Prediction {
  std::string algorithm; // an agreement, as in a spec
  graph::GraphOptions graph;
  double rate = 1; // gossip: averagings per gradient
  // Why n does not allow it, or the algorithm not this graph. If it is not
  // empty, nothing of what follows is set.
  std::string impossible = {};

  StepTimes times = {};                      // of an iteration
  std::optional<double> gain = std::nullopt; // All-Reduce's time / this one's
  // Sent by one worker in a step, the largest; mean over a period.
  double messages = 0;
  double copies = 0; // of the model
  std::string plan =
      {}; // "groups, identity"; of rings "ring", of gossip "pairs"
  graph::Spectrum spectrum = {};
  // Steps in which averaging alone makes the replicas' disagreement ten times
  // smaller; 0 if they always agree (All-Reduce), infinite if the graph is not
  // connected.
  double steps_to_agree = 0;

  int n() const { return graph.n; }
  const algo::Agreement& agreement() const {
    return algo::find_agreement(algorithm);
  }
  bool is_all_reduce() const { return agreement().is_centralized(); }
  bool is_asynchronous() const { return agreement().is_asynchronous(); }

  // "complete", "lattice, k = 8".
  std::string graph_label() const;
  // "combine-while-adapt, ring"; All-Reduce needs no graph.
  std::string label() const;
  // What to write after `grapevine train`.
  std::string flags() const;
};

// All that the query asks about for n workers, without results: All-Reduce
// first, each once; lattices without those that would be complete. Whether n
// fits a graph is not checked.
std::vector<Prediction> candidates(const Query& query, int n);

// The names that a query may have, in the order in which they are tried.
std::vector<std::string> algorithm_names();
// Whether a graph takes this flag (without dashes).
bool graph_takes(const std::string& graph, const std::string& option);

// algorithm, graph, k (null if the graph takes none), n, label, flags.
nlohmann::ordered_json candidate_json(const Prediction& candidate);
// The same, and seconds, compute, exposed, straggler, waited, gain (null
// without All-Reduce), messages_per_step, model_copies_per_step, plan, degree,
// spectral_gap, steps_to_agree.
nlohmann::ordered_json to_json(const Prediction& prediction);
// rows: the possible ones; skipped: the others, with why.
nlohmann::ordered_json to_json(std::span<const Prediction> predictions);

} // namespace grapevine::sim
