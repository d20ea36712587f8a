// The communication threads of n workers: when the buckets of an exchange that
// were released at given times have been averaged.
//
// Every worker has one (mix/comm_thread.h), which runs one exchange after the
// other, and each as a pipeline: bucket c is in round r at time step r + c
// (mix/mix_executor.h). With release(i,c) given, at time step t, in this
// order:
//
//   posts      every round r > 0 of bucket t + ahead(r) - r, at p(i) = g(i) of
//              t-1; then round 0 of bucket t + ahead(0), at
//              p(i) = max( g(i) of t-1, release(i, that bucket) )
//   moves      start = max over j in E(i,r) of max( p(j), free(j) )
//              free(i) = start + w(i,r) S ;  arrival(i,r) = free(i) + l(i,r)
//              with E, w and l as in sim/exchange.h, S the bucket's bytes
//   waits      g(i) = max( p(i), arrivals of round r of bucket t - r )
//
// and a bucket is there after the last of its rounds. A link is busy until
// what was posted before has passed: one `free` for links inside a node, one
// for those between nodes.
//
// One pair and one bucket: max of both releases + S/rate + latency.
//
// Beside the times goes whom they are due to. A message that starts later than
// i was ready for it was kept by the j that its start is the time of; one that
// could start at once takes as long as the slowest of i's links; and one that
// queues behind another of this exchange is kept by whatever kept that.
#pragma once

#include "sim/exchange.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace grapevine::sim {

class CommThreads {
 public:
  explicit CommThreads(int n);

  // released[b][i]: when worker i's bucket b may go, not falling with b. The
  // results into done[b][i]; a worker without an exchange has its releases
  // back. Links are those of the exchange, where a byte counts as `byte`: 0.5
  // over links twice as fast.
  void run(
      const Exchange& exchange,
      std::span<const int64_t> bucket_bytes,
      const std::vector<std::vector<double>>& released,
      std::vector<std::vector<double>>& done,
      double byte = 1);

  // Whom worker i had to wait for to have this bucket of the last run: the one
  // that came late; or those over whose links it took longest, i itself among
  // them; nobody where i was the last. Valid as long as that exchange is.
  std::span<const int> kept_by(int bucket, int i) const;

  // What the next exchange depends on; n * kStates numbers.
  static constexpr int kStates = 3;
  std::vector<double> state() const;
  void restore(std::span<const double> state);

 private:
  // One of both, or none.
  struct Keeper {
    int peer = -1;
    int set = -1; // of the exchange
  };
  struct Arrival {
    double time = 0;
    Keeper keeper = {};
  };
  struct Start {
    double time = -1;
    int worker = -1; // whose time it is
  };
  struct Job {
    const Exchange& exchange;
    std::span<const int64_t> bucket_bytes;
    const std::vector<std::vector<double>>& released;
    double byte;

    int64_t buckets() const {
      return static_cast<int64_t>(bucket_bytes.size());
    }
    bool has(int64_t bucket) const { return bucket >= 0 && bucket < buckets(); }
  };
  void time_step(const Job& job, int64_t time);
  // Into the arrivals of that round and bucket; posted_ says when.
  void post(const Job& job, int round, int64_t bucket);
  // Of a message that starts then; the line is free again at `free`.
  Keeper keeper_of(const Exchange::Part& part, double free) const;
  void await(const Job& job, int round, int64_t bucket);
  std::vector<Arrival>& arrivals(const Job& job, int round, int64_t bucket);

  int n_;
  std::vector<double> passed_;              // g
  std::vector<double> posted_;              // p
  std::array<std::vector<double>, 2> free_; // by is_inside
  // Of the exchange at hand.
  const Exchange* exchange_ = nullptr;
  std::vector<Start> start_; // by set
  // Arrivals wait for their time step: by round, a ring of ahead + 1.
  std::vector<std::vector<std::vector<Arrival>>> arrivals_;
  std::vector<Keeper> passed_by_;              // of passed_
  std::array<std::vector<Keeper>, 2> line_by_; // of what makes it not free_
  std::vector<std::vector<Keeper>> done_by_;   // by bucket, worker
  std::vector<int> ranks_;
};

} // namespace grapevine::sim
