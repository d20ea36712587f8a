// How many gradients each worker has computed, as far as it has got around.
//
// Every message between two workers carries what its sender knows, and counts
// only grow, so the larger of two is the newer: knowledge spreads with the
// messages, no worker is asked for it, and it survives the worker that it is
// about. What one knows of the total is therefore never too large, and behind
// by what was computed while the news travelled.
//
// Any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <span>
#include <vector>

namespace grapevine::gossip {

class Tally {
 public:
  Tally(int rank, int size) : rank_(rank), counts_(size) {}

  // This worker has computed one more; returns the total that it knows of.
  int64_t add() {
    const std::lock_guard lock(mutex_);
    ++counts_[rank_];
    return sum();
  }
  // Takes in what another knows. Of a worker that was lost and has come back,
  // others may know more than it does itself.
  void merge(std::span<const int64_t> counts) {
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < counts_.size(); ++i)
      counts_[i] = std::max(counts_[i], counts[i]);
  }

  int64_t total() const {
    const std::lock_guard lock(mutex_);
    return sum();
  }
  int64_t own() const {
    const std::lock_guard lock(mutex_);
    return counts_[rank_];
  }
  std::vector<int64_t> counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  int64_t sum() const {
    return std::accumulate(counts_.begin(), counts_.end(), int64_t{0});
  }

  int rank_;
  mutable std::mutex mutex_;
  std::vector<int64_t> counts_; // guarded by mutex_
};

} // namespace grapevine::gossip
