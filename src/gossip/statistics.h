// What a worker of an asynchronous run has done and waited for, added up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

namespace grapevine::gossip {

// The averagings with one peer.
struct PairTime {
  int64_t averagings = 0;
  double seconds = 0;
  bool operator==(const PairTime&) const = default;
};

struct Statistics {
  int64_t gradients = 0;
  int64_t averagings = 0;
  // Of its gradients between what it read for an averaging and what it wrote:
  // over all averagings, and the most of one.
  int64_t staleness = 0;
  int64_t staleness_most = 0;
  // Seconds from wanting an averaging to having a partner, over all that came
  // about, and the longest; in pairs; and of gradients held back by max-lag.
  double wait_seconds = 0;
  double wait_most = 0;
  double pair_seconds = 0;
  double held_seconds = 0;
  std::map<int, PairTime> pairs = {}; // by peer

  void add_averaging(int peer, int64_t gradients_between, double seconds) {
    ++averagings;
    ++pairs[peer].averagings;
    pairs[peer].seconds += seconds;
    staleness += gradients_between;
    staleness_most = std::max(staleness_most, gradients_between);
    pair_seconds += seconds;
  }
  void add_wait(double seconds) {
    wait_seconds += seconds;
    wait_most = std::max(wait_most, seconds);
  }
};

} // namespace grapevine::gossip
