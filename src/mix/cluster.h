// The workers of a run, seen from one process.
//
// A process hosts some of the n workers: all of them (a virtual cluster) or one
// (over a transport). Training is written once against this interface. Both
// kinds do the same arithmetic in the same order, so synchronous runs give the
// same bits on either.
//
// Everything here but for_each, abandon, and an exchange's outbox, release and
// wait is collective: all processes call it, in the same order, from one
// thread.
#pragma once

#include "algo/agreement.h"
#include "base/thread_pool.h"
#include "mix/collectives.h"
#include "mix/communicator.h"
#include "mix/exchange.h"
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
  std::shared_ptr<const Plan> plan;
  algo::Plane plane = algo::Plane::kParameters;
  // The result takes the place of the plane's value. Else the plane is only
  // read, and wait() says what the result is made of.
  bool in_place = true;
  int64_t step = 0; // for error messages
};

class Cluster {
 public:
  virtual ~Cluster() = default;

  virtual int size() const = 0;
  // The ranks hosted here, ascending.
  virtual std::span<const int> hosted() const = 0;
  bool is_root() const { return hosted().front() == 0; }
  virtual std::string transport_name() const = 0;
  // Hosted workers that compute at once.
  virtual int threads() const = 0;
  // Calls work(index) for all hosted workers, side by side if there are threads
  // for it.
  virtual void for_each(const std::function<void(int)>& work) = 0;
  // For error messages.
  virtual void set_step(int64_t /*step*/) {}

  // The arenas of the hosted workers, borrowed until detach, which returns
  // when all that is in progress with them is over. ConfigError if others are
  // attached. See Attachment.
  void attach(std::vector<tensor::Arena*> arenas);
  void detach();
  // An error has come between, and this process cannot do its part of what is
  // in progress: that is given up at once, nothing reads or writes the arenas
  // any more, and whatever needs other processes throws from now on. Not
  // collective.
  virtual void abandon() {}

  // x_i <- sum_j W_ij x_j on a plane, by the plan.
  virtual void mix(const Plan& plan, algo::Plane plane) = 0;
  // The same while the workers compute (mix/exchange.h). At most two at a time,
  // both out of place or waited for one after the other; a borrowed exchange is
  // used again for the next but one. Everything else here that is collective
  // must be called with no bucket left to release.
  virtual Exchange& begin(const ExchangeRequest& request) = 0;
  // Gives up the results that were not waited for.
  virtual void drop() {}
  // How the planes are cut, the same on all processes; at the beginning the
  // whole plane is one bucket. No exchange is open.
  virtual void set_buckets(const tensor::Buckets& /*buckets*/) {}
  // Whether buckets move while their workers compute others, so that it pays
  // to release them early.
  virtual bool overlaps() const { return false; }

  const MixCosts& costs() const { return costs_; }
  virtual double exchange_seconds() const { return costs_.exchange_seconds; }
  double wait_seconds() const { return costs_.wait_seconds; }
  std::span<const double> waits() const { return costs_.waits; }
  Traffic traffic() const { return costs_.traffic; }

  // The mean over all workers of some pieces of a plane, summed in rank order;
  // into `out`, piece after piece.
  virtual void mean(
      algo::Plane plane,
      std::span<const Range> pieces,
      std::span<float> out) = 0;
  // Of the whole plane.
  void mean(algo::Plane plane, std::span<float> out);

  // The sums over all workers of a few numbers each (a row for each hosted
  // worker), on every process: two messages per worker, counted as traffic.
  std::vector<double> sum(Rows mine);
  // Gives every worker the plane of worker 0.
  void copy_first(algo::Plane plane);
  // mine: a row for each hosted worker. Returns all n rows in rank order, on
  // every process.
  Rows all_gather(const Rows& mine);
  // The same in the background: begun by one call, asked for by the next, with
  // whole steps between them if need be. One at a time.
  virtual void begin_all_gather(Rows mine) { gathered_ = std::move(mine); }
  virtual Rows end_all_gather() { return std::move(gathered_); }
  // all_gather, on the process that hosts worker 0 alone; elsewhere empty.
  Rows gather(const Rows& mine);
  // True everywhere if it is true anywhere.
  bool any(bool mine);
  // The text of the process that hosts worker 0.
  std::string broadcast(std::string text);
  void barrier();
  // Of all replicas' parameters in rank order, as little-endian float32,
  // without the gaps of the layout. Empty but on the process that hosts
  // worker 0.
  std::string parameters_sha256();
  // How many workers share a node: mix/find_nodes.h. 1 in a virtual cluster.
  int find_workers_per_node(const net::LaunchEnvironment& environment);
  // Compares what must be equal on all processes; see mix/fingerprint.h.
  void compare_fingerprints(const std::map<std::string, std::string>& mine);

 protected:
  // Runs work with the other processes; not at all in a virtual cluster, which
  // has none.
  virtual void call(const std::function<void(Communicator&)>& /*work*/) {}
  // The arenas are about to go.
  virtual void leave_arenas() {}
  std::span<float> plane_of(int index, algo::Plane plane) const {
    return algo::plane_of(*arenas_[index], plane);
  }

  std::vector<tensor::Arena*> arenas_;
  MixCosts costs_; // not of evaluation and probes
  Rows gathered_;  // of the gather in the background
};

// n workers in this process. The pool is borrowed.
std::unique_ptr<Cluster> make_virtual_cluster(int n, ThreadPool& pool);

// This process's worker of a real cluster.
std::unique_ptr<Cluster> make_process_cluster(
    std::unique_ptr<net::Transport> transport,
    CommunicatorOptions options);

// Arenas that a cluster works on for as long as this lives; it is destroyed
// before them. In good order that is collective, since what is in progress
// comes to its end; if an exception passes, it is given up.
class Attachment {
 public:
  Attachment(Cluster& cluster, std::vector<tensor::Arena*> arenas);
  ~Attachment();
  Attachment(const Attachment&) = delete;
  Attachment& operator=(const Attachment&) = delete;

 private:
  Cluster& cluster_;
  int exceptions_;
};

} // namespace grapevine::mix
