// Asynchronous gossip in virtual time: n workers of one process, driven by
// events in the order of their virtual moments.
//
//   gradient done    the local rule moves the worker's replica, which may take
//                    part in more averagings (gossip/allowance.h); its next
//                    gradient begins at the replica as it is then
//   word arrives     one of gossip/pairing.h
//   transfer done    both ends of a pair pull towards what they read when they
//                    were paired, and are free for others
//
// The rules are those of a real run: Replica, Pairing and allowance are the
// same code. What differs is that a moment is a number, a replica travels in
// one piece, and words and transfers take what the links say; transfers that
// pass the same line share its rate (sim/flows.h).
//
// Gradients are computed by whoever `compute` hands them to, possibly many at
// once and ahead of their events: a gradient depends on nothing that happens
// between its begin and its end. Moments tie by the order in which events were
// made, so a run repeats bit for bit, whatever computed its gradients.
//
// One thread.
#pragma once

#include "gossip/allowance.h"
#include "gossip/pairing.h"
#include "gossip/replica.h"
#include "gossip/statistics.h"
#include "gossip/unit_clock.h"
#include "sim/flows.h"
#include "sim/virtual_times.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <memory>
#include <optional>
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
  // Over all workers. Whoever is free takes the next, so fast ones do more.
  int64_t total_gradients = 0;
  VirtualTimes times = {};
  // Verifies that every averaging keeps its pair's sum of x and y; Error.
  bool check = false;
};

// What the engine asks of the run.
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
      std::vector<gossip::Replica*> replicas,
      const algo::LocalRule& rule,
      VirtualGossipHost& host);
  ~VirtualGossip();

  // One event. False, and nothing is done, once all gradients have been done
  // and no pair is under way.
  bool advance();

  // The graph changes: whom each worker asks from now on, some of its
  // neighbours. Between two events.
  void change_graph(const std::vector<std::vector<int>>& neighbours);

  // Virtual seconds: of the last event.
  double now() const { return now_; }
  int64_t gradients() const { return done_; }
  // When the worker's last gradient was begun.
  double began(int worker) const;
  const gossip::Statistics& statistics(int worker) const;
  // Words and replicas sent so far.
  int64_t words() const { return words_; }
  int64_t transfers() const { return transfers_; }
  // The replica's own clock in this moment.
  double units(int worker) const;

  // Everything but the planes; and back, onto planes that were stored with it
  // (replicas, arenas, and those of sent()). Gradients under way are begun
  // anew: the host is called for them.
  nlohmann::json state() const;
  void restore(const nlohmann::json& state);
  // What a worker has read for the pair that is under way; empty without one.
  std::span<float> sent(int worker);

 private:
  enum class Kind { kGradient, kWord, kTransfer };
  struct Event {
    double when = 0;
    int64_t number = 0; // in the order in which they were made
    Kind kind = Kind::kGradient;
    int worker = 0; // who computed, who hears, or the lower end of the pair
    int peer = -1;  // who spoke, or the upper end
    gossip::PairingKind word = gossip::PairingKind::kAsk;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const;
  };
  struct Member;

  void push(double seconds, Event event);
  void end_flows(); // that end before the next event
  void begin_gradient(int worker);
  void end_gradient(int worker);
  void send(int worker, const std::vector<gossip::PairingMessage>& said);
  void begin_pair(int worker);
  void arrive(int a, int b); // the bytes; then the latency
  void end_pair(int a, int b);
  void pull(int worker, int peer);
  // Of the parameters and companions of both, for `check`.
  struct Sum {
    double value = 0;
    double magnitude = 0; // the sum of absolute values
  };
  Sum sum_of_pair(int a, int b) const;
  void check_kept(int a, int b, const Sum& before) const;
  // What follows from something that was told to the worker's Pairing.
  void after(int worker);
  void wake(int worker);

  VirtualGossipOptions options_;
  const algo::LocalRule& rule_;
  VirtualGossipHost& host_;
  std::vector<std::unique_ptr<Member>> members_;
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  Flows flows_; // by the lower worker of the pair
  double now_ = 0;
  int64_t made_ = 0;    // events
  int64_t started_ = 0; // gradients
  int64_t done_ = 0;
  int64_t words_ = 0;
  int64_t transfers_ = 0;
  std::vector<gossip::PairingMessage> say_; // of the event at hand
};

} // namespace grapevine::sim
