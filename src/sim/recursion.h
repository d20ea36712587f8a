// The runtime model: when n workers do what, iteration after iteration.
//
// Worker i, iteration t, buckets b = 1..B in backward order; F forward, P_b
// backward of a bucket, U_b mixing and update of it. A bucket of i is released
// to the communication threads at s(i,b), and they have averaged it at c(i,b)
// (sim/comm_threads.h).
//
// What happens when is said by the agreement's stages (algo/agreement.h), the
// same that mix/stepper.h executes on memory. For example:
//
// An exchange that is sent ahead, started in iteration t-1, hides behind t:
//
//   s(i,0) = s(i,B) of t-1 + F
//   r(i,b) = s(i,b-1) + P_b                         gradient ready
//   s(i,b) = max( r(i,b), c(i,b) of t-1 ) + U_b
//
// Update, then exchange, bucket by bucket; all of them are waited for at the
// end of the step:
//
//   s(i,0) = e(i) of t-1 + F
//   s(i,b) = s(i,b-1) + P_b + U_b
//   e(i)   = max( s(i,B), c(i,B) )
//
// Gradients are exchanged bucket by bucket during backward, and used as they
// come:
//
//   s(i,0) = u(i,B) of t-1 + F
//   s(i,b) = s(i,b-1) + P_b
//   u(i,b) = max( u(i,b-1), c(i,b) ) + U_b          u(i,0) = s(i,B)
//
// A plane that is sent after backward is sent as a whole once s(i,B) is there.
// With a clipped gradient (`after_backward`) nothing is updated before backward
// (or, for averaged gradients, the last exchange) has ended.
//
// This is the model of "From promise to practice" (arXiv 2410.11998), whose
// All-Reduce updates everything at the end: the same but for the updates that
// fit between two exchanges.
#pragma once

#include "algo/agreement.h"
#include "sim/comm_threads.h"

#include <span>
#include <vector>

namespace grapevine::sim {

// Seconds of one iteration of every worker.
struct IterationCompute {
  std::vector<double> forward;               // by worker
  std::vector<std::vector<double>> backward; // by worker, bucket
};

enum class Work { kForward, kBackward, kUpdate };

// Is told what every worker does when, in seconds since the beginning; each
// worker's own things in the order of their ends, but for exchanges, which go
// on beside.
class Watcher {
 public:
  virtual ~Watcher() = default;
  // bucket: -1 for forward.
  virtual void
  worked(int worker, Work work, int bucket, double begin, double end) = 0;
  // peers: whom for, see CommThreads::kept_by.
  virtual void waited(
      int worker,
      int bucket,
      std::span<const int> peers,
      double begin,
      double end) = 0;
  virtual void exchanged(int worker, double begin, double end) = 0;
};

struct IterationTimes {
  double seconds = 0; // by how much the last worker's end has moved
  // Seconds that the training thread waited for exchanges, and that it
  // computed and updated; means over the workers.
  double waited = 0;
  double computed = 0;
};

class Recursion {
 public:
  Recursion(
      int n,
      const algo::Agreement& agreement,
      std::vector<int64_t> bucket_bytes,
      double update_seconds_per_byte,
      bool after_backward = false);

  // One more iteration. `exchange` is that of this iteration's mixing; if it is
  // sent ahead, it was started in the iteration before (the first one: at time
  // 0). byte: see CommThreads::run.
  IterationTimes advance(
      const IterationCompute& compute,
      const Exchange& exchange,
      double byte = 1);

  // From now on; borrowed. None where it is null.
  void watch(Watcher* watcher) { watcher_ = watcher; }

  // When the last worker ended the last iteration; when each did.
  double now() const;
  std::span<const double> ends() const { return end_; }

  // Everything that the next iteration depends on, and back again: a resumed
  // run goes on exactly as an unbroken one.
  std::vector<double> state() const;
  void restore(std::span<const double> state);
  // Whether all that matters has moved by the same since that state: so it will
  // again if the iterations since then are repeated.
  bool has_moved_evenly(std::span<const double> since) const;

 private:
  int buckets() const { return static_cast<int>(bucket_bytes_.size()); }
  void run_exchange(const Exchange& exchange);
  // Forward and backward of worker i, with the stages of each bucket.
  void run_ready(int i, const IterationCompute& times);
  void run_late(const Exchange& exchange);
  void finish(int i, bool updates);
  // The training thread of worker i.
  void compute(int i, Work work, int bucket, double seconds);
  void wait_until(int i, double time);
  void wait_for(int i, int bucket);
  void wait_for_all(int i);
  void tell_wait(int i, int bucket, double begin);
  void tell_exchange(int i, const Exchange& exchange);

  int n_;
  const algo::Agreement* agreement_;
  std::span<const algo::Stage> ready_stages_;
  std::vector<std::span<const algo::Stage>> late_passes_;
  std::vector<int64_t> bucket_bytes_;
  std::vector<double> update_; // by bucket
  bool after_backward_;
  CommThreads threads_;
  Watcher* watcher_ = nullptr;
  std::vector<double> end_;                   // by worker: where it is
  std::vector<std::vector<double>> released_; // by bucket, worker: s
  std::vector<std::vector<double>> done_;     // by bucket, worker: c
  double byte_ = 1;
  double waited_ = 0; // of all workers, this iteration
  double computed_ = 0;
};

} // namespace grapevine::sim
