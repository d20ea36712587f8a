// The graphs that vary with the step, one file each, whose first comment is
// the definition. All throw ConfigError as the static ones do.
#pragma once

#include "graph/schedule.h"

#include <cstdint>
#include <memory>
#include <string>

namespace grapevine::graph {

std::unique_ptr<Schedule> make_one_peer_ring(int n);
std::unique_ptr<Schedule> make_one_peer_exponential(int n);
std::unique_ptr<Schedule> make_one_peer_directed(int n);
// Its weights settle, so it is a schedule though its edges stay the same.
std::unique_ptr<Schedule> make_directed_edges(int n, const std::string& file);
std::unique_ptr<Schedule> make_aer(int n, int workers_per_node);
std::unique_ptr<Schedule> make_random_matching(int n, uint64_t seed);

enum class AdaBy { kEpoch, kStep, kControl };
struct AdaOptions {
  AdaBy by = AdaBy::kEpoch;
  int k0 = 0;         // 0 = n-1
  double gamma = -1;  // < 0 = (k0-k_min) / max(1, epochs-1)
  int k_min = 2;      // the floor, at least 2
  int64_t epochs = 1; // for the default gamma only
};
std::unique_ptr<Schedule> make_ada(int n, AdaOptions options);

// A coordination number that a lattice of n can have: k >= n-2 means complete
// (n-1); below that, even, downwards, at least 2.
int lattice_k(int n, int k);

} // namespace grapevine::graph
