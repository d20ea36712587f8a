#include "gossip/averager.h"

#include "base/error.h"
#include "base/give_way.h"
#include "gossip/averager_peer.h"

#include <algorithm>
#include <utility>

namespace grapevine::gossip {
namespace {

constexpr size_t kPairsKept = 64;

} // namespace

using namespace std::chrono_literals;
using std::chrono::duration;

Averager::Averager(
    Replica& replica,
    member::Edges& edges,
    const std::vector<int>& neighbours,
    AveragerOptions options)
    : replica_(replica),
      edges_(edges),
      options_(std::move(options)),
      progress_(edges.rank(), edges.size(), options_.counts_before),
      pairing_(edges.rank(), {}, options_.seed),
      exchange_(replica),
      neighbours_(neighbours.size()),
      fresh_(options_.is_fresh) {
  if (neighbours.empty()) fresh_ = false;
  if (fresh_) wants_ = lag_ = 1;
  thread_ = std::jthread([this] { run(); });
}

Averager::~Averager() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
  // What is still under way must not touch the buffers that go now.
  for (const auto& [rank, peer] : peers_) {
    if (!peer->heard_bye) edges_.lose(rank, "given up");
  }
}

double Averager::now_seconds() const {
  return duration<double>(Clock::now() - begin_).count();
}

double Averager::units() const {
  const std::lock_guard lock(mutex_);
  return clock_.at(now_seconds());
}

void Averager::rethrow() const {
  if (error_) std::rethrow_exception(error_);
}

void Averager::gradient_done(double seconds, int64_t averagings) {
  ++gradients_;
  progress_.add(now_seconds());
  {
    const std::lock_guard lock(mutex_);
    rethrow();
    clock_.gradient_done(now_seconds(), seconds);
    ++statistics_.gradients;
    const bool is_left_alone = isolated_ && has_met_anybody_;
    if (neighbours_ > 0 && !is_left_alone) {
      wants_ += averagings;
      lag_ += averagings;
    }
  }
  if (has_enough()) ask_for_end();
  changed_.notify_all();
}

void Averager::change_graph(
    std::vector<int> neighbours,
    const Dynamics& dynamics) {
  replica_.set_dynamics(dynamics, units());
  const std::lock_guard lock(mutex_);
  asks_only_ = std::move(neighbours);
}

void Averager::hold_back(int64_t max_lag) {
  if (max_lag < 0) return;
  std::unique_lock lock(mutex_);
  const auto may_go_on = [&] {
    return lag_ <= max_lag || ending_ || isolated_ || error_;
  };
  if (!may_go_on()) {
    const auto since = Clock::now();
    changed_.wait_for(lock, options_.deadline, may_go_on);
    statistics_.held_seconds += duration<double>(Clock::now() - since).count();
  }
  rethrow();
}

void Averager::wait_for_neighbours(duration<double> longest) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, longest, [&] {
    return linked_ == neighbours_ || ending_ || error_;
  });
  rethrow();
}

bool Averager::wait_for_values(duration<double> longest) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, longest, [&] {
    return !fresh_ || ending_ || error_;
  });
  rethrow();
  return !fresh_ || ending_;
}

void Averager::ask_for_end() {
  {
    const std::lock_guard lock(mutex_); // whoever waits must not miss it
    ending_ = true;
  }
  changed_.notify_all();
}

void Averager::end() {
  ask_for_end();
  std::unique_lock lock(mutex_);
  may_part_ = true;
  changed_.notify_all();
  changed_.wait(lock, [&] { return is_over_ || error_; });
  rethrow();
}

Statistics Averager::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

std::vector<int> Averager::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

std::vector<MembershipChange> Averager::membership() {
  const std::lock_guard lock(mutex_);
  return std::exchange(membership_, {});
}

std::vector<PairPeriod> Averager::pairs() {
  const std::lock_guard lock(mutex_);
  const auto taken = std::exchange(pairs_, {});
  return {taken.begin(), taken.end()};
}

void Averager::record_membership(
    int rank,
    bool is_there,
    const std::string& why) {
  const std::lock_guard lock(mutex_);
  membership_.push_back({now_seconds(), rank, is_there, why});
}

// The averaging thread.

void Averager::run() {
  give_way(); // to gradients
  try {
    int idle = 0;
    while (!is_over()) {
      idle = poll_once() ? 0 : idle + 1;
      if (idle > 0) sleep_briefly(idle);
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    error_ = std::current_exception();
    ending_ = true;
  }
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
}

// Much at once was not spent looking: the process was stopped, or starved.
void Averager::count_time() {
  const double most = options_.deadline.count() / kGapsInDeadline;
  const auto now = Clock::now();
  attended_ += std::min(most, duration<double>(now - counted_at_).count());
  counted_at_ = now;
}

bool Averager::poll_once() {
  count_time();
  bool any = apply_edge_changes();
  stop_being_fresh();
  any |= read_messages();
  any |= take_wants();
  any |= advance_pair();
  check_deadlines();
  send_progress();
  refresh_ended();
  if (ending_ && !sent_ending_) {
    sent_ending_ = true;
    pairing_.stop(pairing_messages_);
    send_pairing_messages();
    for (const int rank : linked_ranks())
      send(rank, ControlMessage::kEnding);
  }
  send_goodbye();
  update_isolation();
  return any;
}

void Averager::update_isolation() {
  const bool isolated = neighbours_ > 0 && pairing_.is_alone();
  if (isolated == isolated_) return;
  {
    const std::lock_guard lock(mutex_); // whoever waits must not miss it
    isolated_ = isolated;
  }
  changed_.notify_all();
}

// Not between an ask that said it was fresh and the pair that comes of it.
void Averager::stop_being_fresh() {
  if (!accepts_own_values_ || !fresh_ || in_pair_ || pairing_.asked()) return;
  {
    const std::lock_guard lock(mutex_);
    fresh_ = false;
  }
  changed_.notify_all();
}

bool Averager::has_enough() const {
  return progress_.estimate(now_seconds()) >=
         static_cast<double>(options_.total_gradients);
}

// Words and pieces are seen when they are looked for, so sleeps are short; but
// the processor belongs to the gradients, and the longer one takes, the less
// does it matter when a word is seen. In a pair there is more under way than a
// link moves in the meantime.
void Averager::sleep_briefly(int idle) {
  const bool is_something_due = in_pair_ || pairing_.asked().has_value();
  std::unique_lock lock(mutex_);
  const duration<double> gradient(clock_.state().average);
  const duration<double> longest =
      is_something_due
          ? std::clamp<duration<double>>(0.005 * gradient, 100us, 500us)
          : std::clamp<duration<double>>(0.02 * gradient, 300us, 2ms);
  const duration<double> pause = 5us * (1 << std::min(idle, 10));
  changed_.wait_for(lock, std::min(longest, pause), [&] {
    return wants_ > 0 || stop_;
  });
}

bool Averager::take_wants() {
  int64_t wants = 0;
  std::optional<std::vector<int>> asks_only;
  {
    const std::lock_guard lock(mutex_);
    wants = std::exchange(wants_, 0);
    asks_only = std::exchange(asks_only_, std::nullopt);
  }
  if (asks_only) pairing_.ask_only(std::move(*asks_only), pairing_messages_);
  // A gradient without one is a reminder of those that are wanted already.
  const int64_t gradients = gradients_;
  const bool is_reminder =
      std::exchange(gradients_at_last_look_, gradients) != gradients;
  if (wants == 0 && !is_reminder) return false;
  if (pairing_.wanted() == 0 && !in_pair_) wanted_at_ = Clock::now();
  pairing_.want(wants, pairing_messages_);
  send_pairing_messages();
  return true;
}

void Averager::begin_pair() {
  const int rank = *pairing_.partner();
  in_pair_ = true;
  paired_at_ = Clock::now();
  moved_at_ = attended_;
  {
    const std::lock_guard lock(mutex_);
    statistics_.add_wait(duration<double>(paired_at_ - wanted_at_).count());
  }
  with_peer(rank, [&](Peer& peer) {
    // Of two that are fresh nobody takes: one's values may be a checkpoint's,
    // the other's none.
    const PieceExchange::Manner manner =
        peer.is_fresh ? PieceExchange::Manner::kGive
        : fresh_      ? PieceExchange::Manner::kTake
                      : PieceExchange::Manner::kAverage;
    exchange_.begin(peer.edge, manner, moment());
    ++messages_;
    bytes_ += static_cast<int64_t>(replica_.x().size() * sizeof(float));
  });
}

PieceExchange::Moment Averager::moment() const {
  return {.units = units(), .gradients = gradients_};
}

bool Averager::advance_pair() {
  if (!in_pair_) return false;
  bool any = false;
  with_peer(*pairing_.partner(), [&](Peer& peer) {
    any = exchange_.advance(moment());
    if (any) moved_at_ = peer.heard_at = attended_;
  });
  if (!in_pair_) return true; // lost
  if (exchange_.is_done()) finish_pair();
  return any;
}

void Averager::finish_pair() {
  // The peer may have said meanwhile that it is fresh no more: it was when it
  // gave nothing.
  if (exchange_.manner() == PieceExchange::Manner::kTake) fresh_ = false;
  {
    const auto now = Clock::now();
    const std::lock_guard lock(mutex_);
    statistics_.add_averaging(
        *pairing_.partner(),
        exchange_.staleness(),
        duration<double>(now - paired_at_).count());
    pairs_.push_back({*pairing_.partner(), paired_at_, now});
    if (pairs_.size() > kPairsKept) pairs_.pop_front();
  }
  leave_pair();
  send_pairing_messages();
}

void Averager::leave_pair() {
  {
    const std::lock_guard lock(mutex_);
    --lag_;
    if (fresh_ && !ending_) { // it came to nothing, or was as fresh
      ++wants_;
      ++lag_;
    }
  }
  changed_.notify_all();
  in_pair_ = false;
  wanted_at_ = Clock::now();
  pairing_.finish(pairing_messages_);
}

} // namespace grapevine::gossip
