// Asynchronous gossip in virtual time: a discrete-event simulation of n workers
// in one process. There are three kinds of event:
//
//   gradient done    the local rule moves the worker's replica, which may take
//                    part in more averagings (gossip/allowance.h); its next
//                    gradient begins at the replica as it is then
//   message arrives  a control message of gossip/pairing.h
//   transfer done    both ends of a pair pull towards what they read when they
//                    were paired, and are free for others
//
// The rules are those of a real run: Replica, Pairing and allowance are the
// same code. What differs is that time is a number, a replica travels in one
// piece, and messages and transfers take what the links say; transfers over the
// same link share its rate (sim/transfers.h).
//
// Gradients are computed by the host, possibly many at once and ahead of their
// events: a gradient depends on nothing that happens between its begin and its
// end. Events at the same time happen in the order in which they were made, so
// a run repeats bit for bit, whatever computed its gradients.
//
// One thread.
#pragma once

#include "gossip/allowance.h"
#include "gossip/pairing.h"
#include "gossip/replica.h"
#include "gossip/statistics.h"
#include "gossip/unit_clock.h"
#include "sim/transfers.h"
#include "sim/virtual_times.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <queue>
#include <span>
#include <vector>

namespace grapevine::sim {

struct VirtualGossipOptions {
  std::vector<std::vector<int>> neighbours; // of each worker, symmetric
  gossip::Averagings averagings = gossip::Averagings::kPoisson;
  double rate = 1;
  // Averagings that a worker may be behind with before its gradients wait for
  // them; < 0 = any number.
  int64_t max_lag = -1;
  uint64_t seed = 0;
  // Over all workers. A worker that is free takes the next, so fast ones do
  // more.
  int64_t total_gradients = 0;
  VirtualTimes times = {};
  // Verifies that every averaging keeps its pair's sum of x and y; Error.
  bool check = false;
};

// What the simulation asks of the run.
class VirtualGossipHost {
 public:
  virtual ~VirtualGossipHost() = default;
  // The worker's snapshot is ready: compute its gradient with this number,
  // now or until finish_gradient asks for it.
  virtual void begin_gradient(int worker, int64_t gradient) = 0;
  // Its gradient is in the arena when this returns; then what the local rule
  // is to do with it. done: gradients of all workers so far, without this one.
  virtual algo::StepInfo
  finish_gradient(int worker, int64_t gradient, int64_t done) = 0;
  // After the event, for records.
  virtual void gradient_done(int worker, int64_t gradient, int64_t done) = 0;
  // Virtual seconds.
  virtual void pair_done(
      [[maybe_unused]] int a,
      [[maybe_unused]] int b,
      [[maybe_unused]] double since) {}
};

class VirtualGossip {
 public:
  // Everything is borrowed; replicas by rank, all of one size.
  VirtualGossip(
      VirtualGossipOptions options,
      const std::vector<gossip::Replica*>& replicas,
      const algo::LocalRule& rule,
      VirtualGossipHost& host);

  // One event. False, and nothing is done, once all gradients have been done
  // and no pair is left.
  bool advance();

  // The graph changes: whom each worker asks from now on, some of its
  // neighbours. Between two events.
  void change_graph(const std::vector<std::vector<int>>& neighbours);

  // Virtual seconds: of the last event.
  double now() const { return now_; }
  int64_t gradients() const { return done_; }
  // When the worker's last gradient was begun.
  double began(int worker) const { return members_[worker].computes_since; }
  const gossip::Statistics& statistics(int worker) const {
    return members_[worker].statistics;
  }
  // Control messages and replicas sent so far.
  int64_t words() const { return words_; }
  int64_t transfers() const { return transfers_; }
  // The replica's own clock now.
  double units(int worker) const { return members_[worker].clock.at(now_); }

  // Everything but the planes; and back, onto planes that were stored with it
  // (replicas, arenas, and those of sent()). Gradients in progress are begun
  // again: the host is called for them.
  nlohmann::json state() const;
  void restore(const nlohmann::json& state);
  // What a worker has read for its pair; empty without one.
  std::span<float> sent(int worker);

 private:
  enum class Kind { kGradient, kWord, kTransfer };
  struct Event {
    double when = 0;
    int64_t number = 0; // in the order in which they were made
    Kind kind = Kind::kGradient;
    int worker = 0; // that computed, that receives, or the lower of the pair
    int peer = -1;  // that sent, or the upper of the pair
    gossip::PairingKind word = gossip::PairingKind::kAsk;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const;
  };
  struct Member {
    gossip::Replica* replica;
    gossip::Pairing pairing;
    gossip::UnitClock clock = {};
    gossip::Statistics statistics = {};
    int64_t next_gradient = 0;
    bool computes = false;
    double computes_since = 0;
    bool is_held = false; // by max-lag
    double held_since = 0;
    double wants_since = 0;
    bool has_read = false; // for its pair
    double paired_since = 0;
    int64_t gradients_at_read = 0;
    std::vector<float> sent = {}; // of the replica's size once it is needed
  };
  // Calls visit(key, value) for each part of a member's state that is stored
  // as it is.
  template <typename Some, typename Visit>
  static void visit_scalars(Some& member, const Visit& visit);

  void push(double seconds, Event event);
  void end_transfers(); // that end before the next event
  void begin_gradient(int worker);
  void end_gradient(int worker);
  // What follows from anything that was told to the worker's Pairing: a pair
  // begins, messages are sent, a gradient need not wait any longer.
  void after(int worker);
  void begin_pair(int worker);
  void arrive(int a, int b); // the bytes; then the latency
  void end_pair(int a, int b);
  void pull(int worker, int peer);
  void stop_waiting(int worker);
  // Of the parameters and companions of both, for `check`.
  struct Sum {
    double value = 0;
    double magnitude = 0; // the sum of absolute values
  };
  Sum sum_of_pair(int a, int b) const;
  void check_kept(int a, int b, const Sum& before) const;

  VirtualGossipOptions options_;
  const algo::LocalRule& rule_;
  VirtualGossipHost& host_;
  std::vector<Member> members_;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  Transfers moving_; // by the lower worker of the pair
  double now_ = 0;
  int64_t made_ = 0;    // events
  int64_t started_ = 0; // gradients
  int64_t done_ = 0;
  int64_t words_ = 0;
  int64_t transfers_ = 0;
  std::vector<gossip::PairingMessage> say_; // of the event in progress
};

} // namespace grapevine::sim
