// How many gradients each worker has computed, as far as it has got around.
//
// Every message between two workers carries what its sender knows, and counts
// only grow, so the larger of two is the newer: knowledge spreads with the
// messages, no worker is asked for it, and it survives the worker that it is
// about. Each count comes with its age, since news travels slowly around a
// ring; what was computed meanwhile is estimated from the worker's speed since
// it was first heard of. Gradients come in bursts, so a speed that was watched
// for a moment says little: the estimate goes no further ahead than the worker
// was watched, adds at most a tenth to its count, and nothing to that of a
// worker that has not been heard of for a third of the time: that one is gone.
//
// Any thread. Times are seconds since the run began here.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

namespace grapevine::gossip {

// What is known of all workers.
struct News {
  std::vector<int64_t> counts;
  std::vector<double> ages; // seconds since the count was true
};

class ProgressEstimator {
 public:
  // known: what this worker knew before the run began here, of all workers;
  // empty = nothing.
  ProgressEstimator(int rank, int size, std::vector<int64_t> known = {});

  // This worker has computed one more.
  void add(double now);
  // Takes in what another knows. Of a worker that was lost and has come back,
  // others may know more than it does itself.
  void merge(const News& news, double now);
  News news(double now) const;

  // Of all workers, with what has been computed since the counts were true.
  double estimate(double now) const;
  std::vector<int64_t> counts() const;

 private:
  int rank_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::vector<int64_t> counts_;
  std::vector<double> as_of_; // when the count was true
  // The first that was heard of each; a count of -1 = nothing yet.
  std::vector<int64_t> first_counts_;
  std::vector<double> first_as_of_;
};

} // namespace grapevine::gossip
