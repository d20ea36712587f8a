// The workers of a run, seen from one process.
//
// A process hosts some of the n workers: all of them (VirtualCluster) or one
// (ProcessCluster, over a transport). Whoever trains is written once against
// this interface. Both kinds do the same arithmetic in the same order, so
// synchronous runs give the same bits on either.
//
// Everything here but for_each is collective: all processes call it, in the
// same order, from one thread.
#pragma once

#include "algo/agreement.h"
#include "arena/arena.h"
#include "base/thread_pool.h"
#include "comm/communicator.h"
#include "comm/plan.h"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace grapevine::cluster {

// What happens to a hosted worker (by its index among the hosted ones) around
// an exchange. Any of them may be empty.
struct MixHooks {
  std::function<void(int)> prepare; // before everything: its gradient
  std::function<void(int, Range)> before;
  std::function<void(int, Range)> after;
};

// One row of numbers for each worker.
using Rows = std::vector<std::vector<double>>;

class Cluster {
 public:
  virtual ~Cluster() = default;

  virtual int size() const = 0;
  // The ranks hosted here, ascending.
  virtual std::span<const int> hosted() const = 0;
  bool hosts_first() const { return hosted().front() == 0; }
  virtual std::string transport_name() const = 0;

  // The arenas of the hosted workers, borrowed until the end. Once.
  virtual void attach(std::vector<arena::Arena*> arenas) = 0;

  // Calls work(index) for all hosted workers, side by side where there are
  // threads for it.
  virtual void for_each(const std::function<void(int)>& work) = 0;

  // x_i <- sum_j W_ij x_j on a plane, by the plan, with the hooks around it.
  virtual void
  mix(const comm::Plan& plan, algo::Plane plane, const MixHooks& hooks) = 0;

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
  // The same, on the process that hosts worker 0 alone; elsewhere empty.
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
  // Core-seconds that the hosted workers have spent in mix() beside its hooks:
  // moving and combining planes, and waiting for them.
  virtual double exchange_seconds() const = 0;
  // Sent by the hosted workers in mix() and sum().
  virtual comm::Traffic traffic() const = 0;
  // For error messages.
  virtual void set_step(int64_t step) = 0;
  // Compares what must be equal on all processes; see comm/fingerprint.h.
  virtual void compare_fingerprints(
      const std::map<std::string, std::string>& mine) = 0;
};

// n workers in this process. The pool is borrowed.
std::unique_ptr<Cluster> make_virtual_cluster(int n, ThreadPool& pool);

// This process's worker of a real cluster.
std::unique_ptr<Cluster> make_process_cluster(
    std::unique_ptr<transport::Transport> transport,
    comm::CommunicatorOptions options);

} // namespace grapevine::cluster
