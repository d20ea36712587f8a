// The averaging thread of a worker of an asynchronous run: finds partners
// (gossip/pairing.h), averages with one at a time (gossip/piece_exchange.h),
// and keeps track of the neighbours. For gossip/averager.cpp.
#pragma once

#include "gossip/averager.h"
#include "gossip/control_channel.h"
#include "gossip/pairing.h"
#include "gossip/piece_exchange.h"
#include "gossip/progress_estimator.h"
#include "gossip/unit_clock.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <optional>

namespace grapevine::gossip {

// What the averaging thread and the thread of the gradients share.
struct AveragerState {
  using Clock = std::chrono::steady_clock;

  AveragerState(
      int rank,
      int size,
      int neighbours,
      const AveragerOptions& options);

  const int neighbours;
  const int64_t total_gradients;
  const Clock::time_point begin = Clock::now();
  ProgressEstimator progress;

  std::atomic<bool> ending = false;
  std::atomic<bool> fresh;
  std::atomic<bool> accepts_own_values = false;
  std::atomic<bool> isolated = false;
  std::atomic<bool> has_met_any = false;
  std::atomic<int64_t> messages = 0;
  std::atomic<int64_t> bytes = 0;
  std::atomic<int64_t> gradients = 0;

  std::mutex mutex;
  std::condition_variable changed;
  // Guarded by mutex.
  UnitClock clock;
  int linked = 0;                            // neighbours
  int64_t wants = 0;                         // not yet told to the pairing
  std::optional<std::vector<int>> asks_only; // to be told to the pairing
  int64_t lag = 0;                           // wanted, or in a pair
  Statistics statistics;
  std::vector<MembershipChange> membership;
  std::vector<int> ended;
  std::deque<PairPeriod> pairs;
  std::exception_ptr error;
  bool stop = false; // whatever is in progress
  bool may_part = false;
  bool is_over = false;

  double seconds() const; // since the beginning
  double units();
  // Whether all workers have computed enough, by estimate.
  bool has_enough() const;
  void ask_for_end();
  void rethrow() const; // needs the lock

  // Runs `change` under the lock and wakes all that wait.
  template <typename Change>
  void update(const Change& change) {
    {
      const std::lock_guard lock(mutex);
      change();
    }
    changed.notify_all();
  }

  // Waits until `condition`, which is called under the lock, holds, or the end
  // has come, or the time is up. Returns the seconds that it has waited.
  // Throws the error of the averaging thread.
  template <typename Condition>
  double wait(
      std::chrono::duration<double> longest,
      const Condition& condition) {
    std::unique_lock lock(mutex);
    const auto is_met = [&] { return condition() || ending || error; };
    double waited = 0;
    if (!is_met()) {
      const double since = seconds();
      changed.wait_for(lock, longest, is_met);
      waited = seconds() - since;
    }
    rethrow();
    return waited;
  }
};

// Counts the seconds in which its thread was there to see what comes: time in
// which the process was stopped, or starved, does not count. Others' deadlines
// are measured by it.
class AttendedClock {
 public:
  // At most `longest_gap` seconds count between two calls of tick().
  explicit AttendedClock(double longest_gap) : longest_gap_(longest_gap) {}

  void tick() {
    const auto now = Clock::now();
    seconds_ += std::min(
        longest_gap_,
        std::chrono::duration<double>(now - ticked_at_).count());
    ticked_at_ = now;
  }
  double seconds() const { return seconds_; }

 private:
  using Clock = std::chrono::steady_clock;
  double longest_gap_;
  double seconds_ = 0;
  Clock::time_point ticked_at_ = Clock::now();
};

class AveragingLoop {
 public:
  AveragingLoop(
      Replica& replica,
      member::Edges& edges,
      AveragerState& state,
      const AveragerOptions& options);
  // Loses the edges whose neighbours have not said goodbye: what is in progress
  // there must not touch the buffers that go now.
  ~AveragingLoop();

  // Until the end, an error (which becomes the state's), or a stop.
  void run();

 private:
  using Clock = AveragerState::Clock;
  // A neighbour that is linked. Moments are in attended seconds.
  struct Peer {
    Peer(member::Edge edge, int size, int64_t most_gradients)
        : edge(edge),
          channel(edge, size, most_gradients) {}

    member::Edge edge;
    ControlChannel channel;
    bool is_fresh = false;  // by its last message of pairing
    bool said_bye = false;  // this worker
    bool heard_bye = false; // its
    double told_at = 0;     // seconds of the state: of news, in every message
    double asked_at = 0;
    double heard_at = 0;
  };

  // averaging_loop.cpp: the loop, and the pair.
  bool run_once();
  bool is_over();
  void sleep_briefly(int idle);
  bool take_wants();
  void stop_being_fresh();
  void update_isolation();
  void begin_pair();
  bool advance_pair();
  void finish_pair();
  void leave_pair();
  PieceExchange::Moment moment();

  // averaging_peers.cpp: the neighbours, and the messages to and from them.
  bool apply_edge_changes();
  void link(int rank, const std::string& why);
  // Closes the edge; forget: it is closed already.
  void lose(int rank, const std::string& why);
  void forget(int rank, const std::string& why);
  void require_survival(int rank, const std::string& why) const;
  void record_membership(int rank, bool is_there, const std::string& why);
  void refresh_ended();
  // A copy, since the peer that is talked to may be lost by it.
  std::vector<int> linked_ranks() const;
  // Calls work on a linked peer; an error of its transport loses it.
  template <typename Work>
  void with_peer(int rank, const Work& work);
  bool read_messages();
  void handle(int rank, const ControlMessage& message);
  void send(int rank, uint8_t kind);
  // Sends what the pairing wants said, and begins the pair that has come about.
  void send_pairing_messages();
  void send_progress();
  void send_ending();
  void send_goodbye();
  void check_deadlines();

  Replica& replica_;
  member::Edges& edges_;
  AveragerState& state_;
  const double deadline_;
  const int64_t most_gradients_; // that a peer can claim for one worker

  Pairing pairing_;
  PieceExchange exchange_;
  std::map<int, std::unique_ptr<Peer>> peers_; // linked ones
  // Messages to be sent, in this order, whatever happens meanwhile.
  std::vector<PairingMessage> pairing_messages_;
  bool is_sending_ = false;
  bool in_pair_ = false;
  Clock::time_point paired_at_;
  Clock::time_point wanted_at_; // the averaging that is looked for
  int64_t gradients_at_last_look_ = 0;
  bool is_parting_ = false;
  bool sent_ending_ = false;
  AttendedClock attended_;
  // In attended seconds.
  double moved_at_ = 0; // the pair, by a piece
  double asked_who_ended_at_ = 0;
  double parting_at_ = 0;
};

template <typename Work>
void AveragingLoop::with_peer(int rank, const Work& work) {
  const auto at = peers_.find(rank);
  if (at == peers_.end()) return;
  try {
    work(*at->second);
  } catch (const TransportError& error) {
    lose(rank, error.what());
  }
}

// In a deadline there are at least so many messages to a neighbour.
inline constexpr double kGapsInDeadline = 4;

} // namespace grapevine::gossip
