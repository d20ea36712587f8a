// The communicating half of a worker of an asynchronous run: a thread that
// finds partners and averages with one at a time (gossip/averaging_loop.h),
// while the other half, the caller's thread, computes gradients without waiting
// for it.
//
//   Averager averager(replica, edges, neighbours, options);
//   while (!averager.is_ending()) {
//     … compute a gradient at the snapshot …
//     replica.move(rule, info, averager.units());
//     averager.gradient_done(seconds, averagings that it may take part in);
//   }
//   averager.end();
//
// It ends when by some worker's estimate all workers together have computed
// `total_gradients` (gossip/progress_estimator.h says how far it may be off),
// or when one asks for the end; word of it goes from neighbour to neighbour.
// Each worker finishes the pair it is in, says goodbye to its neighbours and
// waits for theirs.
//
// If a neighbour is lost (its process died, or it did not answer, move a piece
// or send anything at all within the deadline) and the edges survive that, the
// run goes on without it; it may come back. If they do not, the loss ends the
// run: every later call throws it. The time in which this worker was stopped
// itself does not count.
#pragma once

#include "gossip/replica.h"
#include "gossip/statistics.h"
#include "member/edges.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace grapevine::gossip {

struct AveragerOptions {
  int64_t total_gradients = 0;
  uint64_t seed = 0;
  // For an answer, for a piece of a replica, for a goodbye, for any letter.
  std::chrono::duration<double> deadline{300};
  // The replica is not worth averaging with: the first averaging takes a
  // neighbour's values instead.
  bool is_fresh = false;
  // Gradients that each worker is known to have computed, from a checkpoint;
  // empty = none.
  std::vector<int64_t> counts_before = {};
};

// A neighbour came or went.
struct MembershipChange {
  double seconds = 0; // since the averager was made
  int rank = -1;
  bool is_there = false;
  std::string why;
};

// An averaging, from having the partner to the end.
struct PairPeriod {
  int peer = -1;
  std::chrono::steady_clock::time_point begin;
  std::chrono::steady_clock::time_point end;
};

struct AveragerState; // both: averaging_loop.h
class AveragingLoop;

class Averager {
 public:
  // Borrows the replica and the edges, which no other thread uses meanwhile.
  Averager(
      Replica& replica,
      member::Edges& edges,
      const std::vector<int>& neighbours,
      AveragerOptions options);
  // Gives up the averaging in progress.
  ~Averager();
  Averager(const Averager&) = delete;
  Averager& operator=(const Averager&) = delete;

  // The thread of the gradients calls these. They throw what has ended the
  // other thread.

  // Returns what the replica's clock shows.
  double units() const;
  // Notes that a gradient was done, which took so long, and that the worker may
  // take part in so many averagings more.
  void gradient_done(double seconds, int64_t averagings);
  // The graph changes: whom this worker asks from now on, some of its
  // neighbours, and the replica's constants.
  void change_graph(std::vector<int> neighbours, const Dynamics& dynamics);
  // Waits until no more than max_lag averagings are wanted or in progress, or
  // the end has come, or no neighbour is left to average with; at most for the
  // deadline. Below 0: not at all.
  void hold_back(int64_t max_lag);
  // Waits until all neighbours are linked, at most so long: for a run that
  // begins with all workers.
  void wait_for_neighbours(std::chrono::duration<double> longest);
  // Waits until a neighbour has given its values to this one, which is fresh,
  // or the end has come. Returns false if neither has, so far.
  bool wait_for_values(std::chrono::duration<double> longest);
  // Takes the replica's own values for as good as any, unless a neighbour is
  // about to give its values.
  void accept_own_values();
  bool is_fresh() const;
  bool is_ending() const;
  // Asks all workers for the end.
  void ask_for_end();
  // Finishes the pair in progress, says goodbye and waits for the neighbours'.
  void end();

  // Whether there is no neighbour now to average with, though there could be:
  // then no gradient is held back, and nothing is wanted after the first
  // neighbour came.
  bool is_isolated() const;
  // Workers of the run that have ended for good, as far as is known.
  std::vector<int> ended() const;
  // Of all workers' gradients, by estimate.
  double total_estimate() const;
  std::vector<int64_t> counts() const;
  Statistics statistics() const;
  // Messages and replicas sent, and their bytes.
  int64_t messages() const;
  int64_t bytes() const;
  // Since the last call.
  std::vector<MembershipChange> membership();
  // Averagings that have ended since the last call; the last few of them.
  std::vector<PairPeriod> pairs();

 private:
  Replica& replica_;
  std::chrono::duration<double> deadline_;
  std::unique_ptr<AveragerState> state_; // what the two threads share
  std::unique_ptr<AveragingLoop> loop_;
  std::jthread thread_; // last: it uses the others
};

} // namespace grapevine::gossip
