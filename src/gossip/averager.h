// The communicating half of a worker of an asynchronous run: a thread that
// finds partners (gossip/pairing.h) and averages with one at a time
// (gossip/piece_exchange.h), while the other half, the caller's thread,
// computes gradients without waiting for it.
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
// Everybody finishes the pair it is in, says goodbye to its neighbours and
// waits for theirs.
//
// A neighbour that is lost (its process died, or it did not answer, move a
// piece or say anything at all within the deadline) is done without where the
// edges survive that; it may come back. Where they do not, the loss ends the
// run: every call from then on throws it. A worker that was stopped itself has
// not waited for anybody meanwhile.
#pragma once

#include "gossip/control_channel.h"
#include "gossip/pairing.h"
#include "gossip/piece_exchange.h"
#include "gossip/progress_estimator.h"
#include "gossip/replica.h"
#include "gossip/statistics.h"
#include "gossip/unit_clock.h"
#include "member/edges.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
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

class Averager {
 public:
  // Borrows the replica and the edges, which nobody else uses meanwhile.
  Averager(
      Replica& replica,
      member::Edges& edges,
      const std::vector<int>& neighbours,
      AveragerOptions options);
  // Gives up what is under way.
  ~Averager();
  Averager(const Averager&) = delete;
  Averager& operator=(const Averager&) = delete;

  // The thread of the gradients calls these. They throw what has ended the
  // other thread.

  // What the replica's clock shows.
  double units() const;
  // A gradient that took so long was done; it entitles to so many averagings.
  void gradient_done(double seconds, int64_t averagings);
  // The graph changes: whom this worker asks from now on, some of its
  // neighbours, and the replica's constants.
  void change_graph(std::vector<int> neighbours, const Dynamics& dynamics);
  // Waits until no more than max_lag averagings are wanted or under way, or
  // the end has come, or there is nobody to average with; at most for the
  // deadline. Below 0: not at all.
  void hold_back(int64_t max_lag);
  // Waits until all neighbours are linked, at most so long: for a run that
  // begins with everybody.
  void wait_for_neighbours(std::chrono::duration<double> longest);
  // Waits until a neighbour has given its values to this one, which is fresh,
  // or the end has come. False if neither has, so far.
  bool wait_for_values(std::chrono::duration<double> longest);
  // Nobody did: the replica is as good as any, once nobody is about to give.
  void accept_own_values() { accepts_own_values_ = true; }
  bool is_fresh() const { return fresh_; }
  bool is_ending() const { return ending_; }
  // Asks all for the end.
  void ask_for_end();
  // Finishes the pair under way, says goodbye and waits for the neighbours'.
  void end();

  // Whether there is no neighbour now to average with, though there could be:
  // then nobody is held back, and nothing is wanted but before the first came.
  bool is_isolated() const { return isolated_; }
  // Workers of the run that have ended for good, as far as is known.
  std::vector<int> ended() const;
  // Of all workers' gradients, by estimate.
  double total_estimate() const { return progress_.estimate(now_seconds()); }
  std::vector<int64_t> counts() const { return progress_.counts(); }
  Statistics statistics() const;
  // Messages and replicas sent, and their bytes.
  int64_t messages() const { return messages_; }
  int64_t bytes() const { return bytes_; }
  // Since the last call.
  std::vector<MembershipChange> membership();
  // Averagings that have ended since the last call; the last few of them.
  std::vector<PairPeriod> pairs();

 private:
  using Clock = std::chrono::steady_clock;
  struct Peer;

  void run();
  bool poll_once();
  void count_time();
  bool apply_edge_changes();
  void refresh_ended();
  bool read_messages();
  bool take_wants();
  bool advance_pair();
  void send_goodbye();
  bool is_over();

  void link(int rank, const std::string& why);
  // Closes the edge; or it is closed already.
  void lose(int rank, const std::string& why);
  void forget(int rank, const std::string& why);
  void require_survival(int rank, const std::string& why) const;
  void update_isolation();
  void stop_being_fresh();
  // A copy, since whoever is talked to may be lost by it.
  std::vector<int> linked_ranks() const;
  // Calls work on a linked peer; an error of its transport loses it.
  template <typename Work>
  void with_peer(int rank, Work&& work);
  void handle(int rank, const ControlMessage& message);
  // Says what the pairing wants said, and begins the pair that has come about.
  void send_pairing_messages();
  void begin_pair();
  void finish_pair();
  void leave_pair();
  void send(int rank, uint8_t kind);
  void check_deadlines();
  void send_progress();
  bool has_enough() const;
  void record_membership(int rank, bool is_there, const std::string& why);
  PieceExchange::Moment moment() const;
  double now_seconds() const;
  void sleep_briefly(int idle);
  void rethrow() const;

  Replica& replica_;
  member::Edges& edges_;
  AveragerOptions options_;
  ProgressEstimator progress_;
  Clock::time_point begin_ = Clock::now();

  // Of the averaging thread alone.
  Pairing pairing_;
  PieceExchange exchange_;
  std::map<int, std::unique_ptr<Peer>> peers_; // linked ones
  // Words to be said, in this order, whatever happens while they are.
  std::vector<PairingMessage> pairing_messages_;
  bool is_sending_ = false;
  size_t neighbours_ = 0;
  bool in_pair_ = false;
  Clock::time_point paired_at_;
  Clock::time_point wanted_at_; // the averaging that is looked for
  // Seconds in which this thread was there to see what comes: others' deadlines
  // are counted in them. What follows is the moment that it last counted, and
  // moments in its terms.
  double attended_ = 0;
  Clock::time_point counted_at_ = begin_;
  double moved_at_ = 0; // the pair, by a piece
  double asked_who_ended_at_ = 0;
  double parting_at_ = 0;
  int64_t gradients_at_last_look_ = 0;
  bool is_parting_ = false;
  bool sent_ending_ = false;

  std::atomic<bool> ending_ = false;
  std::atomic<bool> fresh_ = false;
  std::atomic<bool> accepts_own_values_ = false;
  std::atomic<bool> isolated_ = false;
  std::atomic<bool> has_met_anybody_ = false;
  std::atomic<int64_t> messages_ = 0;
  std::atomic<int64_t> bytes_ = 0;
  std::atomic<int64_t> gradients_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  UnitClock clock_;
  size_t linked_ = 0;                         // neighbours
  int64_t wants_ = 0;                         // not yet told to the pairing
  std::optional<std::vector<int>> asks_only_; // to be told to the pairing
  int64_t lag_ = 0;                           // wanted, or in a pair
  Statistics statistics_;
  std::vector<MembershipChange> membership_;
  std::vector<int> ended_;
  std::deque<PairPeriod> pairs_;
  std::exception_ptr error_;
  bool stop_ = false; // whatever is under way
  bool may_part_ = false;
  bool is_over_ = false;

  std::jthread thread_; // last: it uses the others
};

} // namespace grapevine::gossip
