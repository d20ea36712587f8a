// The workers of a run, seen from one process.
//
// A process hosts some of the n workers: all of them (VirtualCluster) or one
// (ProcessCluster, over a transport). Whoever trains is written once against
// this interface. Both kinds do the same arithmetic in the same order, so
// synchronous runs give the same bits on either.
//
// Everything here but for_each, release, wait and abandon is collective: all
// processes call it, in the same order, from one thread.
#pragma once

#include "algo/agreement.h"
#include "base/thread_pool.h"
#include "mix/clock.h"
#include "mix/communicator.h"
#include "mix/plan.h"
#include "net/launch_environment.h"
#include "tensor/arena.h"
#include "tensor/buckets.h"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace grapevine::mix {

// A mixing of one plane, in which each worker takes part bucket by bucket.
struct ExchangeRequest {
  std::shared_ptr<const mix::Plan> plan;
  algo::Plane plane = algo::Plane::kParameters;
  // The result takes the place of the plane's value. Else the plane is only
  // read, and wait() says what the result is made of.
  bool in_place = true;
  int64_t step = 0; // for error messages
};

// One row of numbers for each worker.
using Rows = std::vector<std::vector<double>>;

class Cluster {
 public:
  virtual ~Cluster() = default;

  virtual int size() const = 0;
  // The ranks hosted here, ascending.
  virtual std::span<const int> hosted() const = 0;
  bool is_root() const { return hosted().front() == 0; }
  virtual std::string transport_name() const = 0;
  // How many workers share a node: mix/find_nodes.h. 1 in a virtual cluster.
  virtual int find_workers_per_node(
      const net::LaunchEnvironment& environment) = 0;

  // The arenas of the hosted workers, borrowed until detach, which returns
  // when all that is under way with them is over. ConfigError where others are
  // attached. See mix/attachment.h.
  virtual void attach(std::vector<tensor::Arena*> arenas) = 0;
  virtual void detach() = 0;
  // An error has come between, and this process cannot do its part of what is
  // under way: that is given up at once, and whatever needs other processes
  // throws from now on. Not collective.
  virtual void abandon() = 0;

  // Calls work(index) for all hosted workers, side by side where there are
  // threads for it.
  virtual void for_each(const std::function<void(int)>& work) = 0;

  // x_i <- sum_j W_ij x_j on a plane, by the plan.
  virtual void mix(const mix::Plan& plan, algo::Plane plane) = 0;

  // The same while the workers compute:
  //
  //   begin(request)                 once
  //   release(index, b) for all b    by each hosted worker, ascending, from
  //                                  the thread that computes it: its bucket b
  //                                  is final
  //   settle()                       when all hosted workers have done so
  //   wait(index, b) for all b       by each hosted worker, ascending: until
  //                                  the result of b is there
  //
  // A second exchange may begin before the first has been waited for;
  // release is then about the newest, wait about the oldest. Everything else
  // here that is collective must be called with no bucket left to release.
  //
  // outbox(index, b), where it is not null, is a plane in which the worker may
  // write the value of bucket b, all of it, before it releases it, so that it
  // need not be read again to be sent: as well as in the exchanged plane or, in
  // place, instead.
  virtual void begin(const ExchangeRequest& request) = 0;
  virtual float* outbox(int /*index*/, int /*bucket*/) { return nullptr; }
  virtual void release(int index, int bucket) = 0;
  virtual void settle() = 0;
  // In place: no terms. Valid until the bucket is released the next time.
  virtual tensor::MixTerms wait(int index, int bucket) = 0;
  // Whom the last wait of the hosted worker was for, or -1; and when the last
  // exchange that was waited for to its end was under way. Where a worker has
  // a process to itself.
  virtual int waited_for() const { return -1; }
  struct Period {
    Clock::time_point begin;
    Clock::time_point end;
  };
  virtual Period last_exchange() const { return {}; }
  // Gives up the results that were not waited for.
  virtual void drop() = 0;
  // How the planes are cut, the same on all processes; at the beginning the
  // whole plane is one bucket. No exchange is open.
  virtual void set_buckets(const tensor::Buckets& buckets) = 0;
  // Whether buckets move while their workers compute others, so that it pays
  // to release them early.
  virtual bool overlaps() const = 0;

  // The mean over all workers of some pieces of a plane, summed in rank order;
  // into `out`, piece behind piece.
  virtual void mean(
      algo::Plane plane,
      std::span<const Range> pieces,
      std::span<float> out) = 0;
  // Of the whole plane.
  void mean(algo::Plane plane, std::span<float> out) {
    const Range whole{0, static_cast<int64_t>(out.size())};
    mean(plane, {&whole, 1}, out);
  }

  // The sums over all workers of a few numbers each (a row for each hosted
  // worker), on every process: two messages a worker, counted as traffic.
  virtual std::vector<double> sum(Rows mine) = 0;

  // Gives every worker the plane of worker 0.
  virtual void copy_first(algo::Plane plane) = 0;

  // mine: a row for each hosted worker. Returns all n rows in rank order, on
  // every process.
  virtual Rows all_gather(const Rows& mine) = 0;
  // The same in the background: begun by one call, asked for by the next, with
  // whole steps between them if need be. One at a time.
  virtual void begin_all_gather(Rows mine) = 0;
  virtual Rows end_all_gather() = 0;
  // all_gather, on the process that hosts worker 0 alone; elsewhere empty.
  virtual Rows gather(const Rows& mine) = 0;
  // True everywhere if it is true anywhere.
  virtual bool any(bool mine) = 0;
  // The text of the process that hosts worker 0.
  virtual std::string broadcast(std::string text) = 0;
  virtual void barrier() = 0;

  // Of all replicas' parameters in rank order, as little-endian float32,
  // without the gaps of the layout. Empty but on the process that hosts
  // worker 0.
  virtual std::string parameters_sha256() = 0;

  // Hosted workers that compute at once.
  virtual int threads() const = 0;
  // Core-seconds spent on moving and combining planes, and on waiting for
  // peers meanwhile. Where exchanges overlap with computing, so does this.
  virtual double exchange_seconds() const = 0;
  // Seconds in which hosted workers could not go on, for want of a result.
  virtual double wait_seconds() const = 0;
  // The same by the peer that was waited for, of a worker that has a process
  // to itself; else empty.
  virtual std::span<const double> waits() const = 0;
  // Sent by the hosted workers in mix(), sum(), and the exchanges that have
  // been waited for.
  virtual mix::Traffic traffic() const = 0;
  // For error messages.
  virtual void set_step(int64_t step) = 0;
  // Compares what must be equal on all processes; see mix/fingerprint.h.
  virtual void compare_fingerprints(
      const std::map<std::string, std::string>& mine) = 0;
};

// n workers in this process. The pool is borrowed.
std::unique_ptr<Cluster> make_virtual_cluster(int n, ThreadPool& pool);

// This process's worker of a real cluster.
std::unique_ptr<Cluster> make_process_cluster(
    std::unique_ptr<net::Transport> transport,
    mix::CommunicatorOptions options);

} // namespace grapevine::mix
