#include "gossip/averaging_loop.h"

#include "base/error.h"
#include "base/give_way.h"

#include <utility>

namespace grapevine::gossip {
namespace {

constexpr size_t kPairsKept = 64;
// By so much may a worker have computed more than all were to: whatever is
// above is no count.
constexpr int64_t kSlack = int64_t{1} << 20;

} // namespace

using namespace std::chrono_literals;
using std::chrono::duration;

AveragerState::AveragerState(
    int rank,
    int size,
    int neighbours,
    const AveragerOptions& options)
    : neighbours(neighbours),
      total_gradients(options.total_gradients),
      progress(rank, size, options.counts_before),
      fresh(options.is_fresh && neighbours > 0) {
  if (fresh) wants = lag = 1;
}

double AveragerState::seconds() const {
  return duration<double>(Clock::now() - begin).count();
}

double AveragerState::units() {
  const std::lock_guard lock(mutex);
  return clock.at(seconds());
}

bool AveragerState::has_enough() const {
  return progress.estimate(seconds()) >= static_cast<double>(total_gradients);
}

void AveragerState::ask_for_end() {
  update([&] { ending = true; }); // a thread that waits must not miss it
}

void AveragerState::rethrow() const {
  if (error) std::rethrow_exception(error);
}

AveragingLoop::AveragingLoop(
    Replica& replica,
    member::Edges& edges,
    AveragerState& state,
    const AveragerOptions& options)
    : replica_(replica),
      edges_(edges),
      state_(state),
      deadline_(options.deadline.count()),
      most_gradients_(2 * options.total_gradients + kSlack),
      pairing_(edges.rank(), {}, options.seed),
      exchange_(replica),
      attended_(deadline_ / kGapsInDeadline) {}

AveragingLoop::~AveragingLoop() {
  for (const auto& [rank, peer] : peers_) {
    if (!peer->heard_bye) edges_.lose(rank, "given up");
  }
}

void AveragingLoop::run() {
  give_way(); // to gradients
  try {
    int idle = 0;
    while (!is_over()) {
      idle = run_once() ? 0 : idle + 1;
      if (idle > 0) sleep_briefly(idle);
    }
  } catch (...) {
    state_.update([&] {
      state_.error = std::current_exception();
      state_.ending = true;
    });
  }
  state_.update([&] { state_.is_over = true; });
}

bool AveragingLoop::run_once() {
  attended_.tick();
  bool any = apply_edge_changes();
  stop_being_fresh();
  any |= read_messages();
  any |= take_wants();
  any |= advance_pair();
  check_deadlines();
  send_progress();
  refresh_ended();
  send_ending();
  send_goodbye();
  update_isolation();
  return any;
}

bool AveragingLoop::is_over() {
  {
    const std::lock_guard lock(state_.mutex);
    if (state_.stop) return true;
  }
  if (!is_parting_) return false;
  bool over = true;
  for (const int rank : linked_ranks()) {
    with_peer(rank, [&](Peer& peer) {
      over &= peer.heard_bye && peer.channel.is_empty();
    });
  }
  return over;
}

// Messages and pieces are seen when they are looked for, so sleeps are short;
// but the processor belongs to the gradients, and the longer one takes, the
// less does it matter when a message is seen. In a pair there is more in
// flight than a link moves in the meantime.
void AveragingLoop::sleep_briefly(int idle) {
  const bool is_something_due = in_pair_ || pairing_.asked().has_value();
  std::unique_lock lock(state_.mutex);
  const duration<double> gradient(state_.clock.state().average);
  const duration<double> longest =
      is_something_due
          ? std::clamp<duration<double>>(0.005 * gradient, 100us, 500us)
          : std::clamp<duration<double>>(0.02 * gradient, 300us, 2ms);
  const duration<double> pause = 5us * (1 << std::min(idle, 10));
  state_.changed.wait_for(lock, std::min(longest, pause), [&] {
    return state_.wants > 0 || state_.stop;
  });
}

bool AveragingLoop::take_wants() {
  int64_t wants = 0;
  std::optional<std::vector<int>> asks_only;
  {
    const std::lock_guard lock(state_.mutex);
    wants = std::exchange(state_.wants, 0);
    asks_only = std::exchange(state_.asks_only, std::nullopt);
  }
  if (asks_only) pairing_.ask_only(std::move(*asks_only), pairing_messages_);
  // A gradient without one is a reminder of those that are wanted already.
  const int64_t gradients = state_.gradients;
  const bool is_reminder =
      std::exchange(gradients_at_last_look_, gradients) != gradients;
  if (wants == 0 && !is_reminder) return false;
  if (pairing_.wanted() == 0 && !in_pair_) wanted_at_ = Clock::now();
  pairing_.want(wants, pairing_messages_);
  send_pairing_messages();
  return true;
}

// Not between an ask that said it was fresh and the pair that comes of it.
void AveragingLoop::stop_being_fresh() {
  const bool may_stop = state_.accepts_own_values && state_.fresh;
  if (!may_stop || in_pair_ || pairing_.asked()) return;
  state_.update([&] { state_.fresh = false; });
}

void AveragingLoop::update_isolation() {
  const bool isolated = state_.neighbours > 0 && pairing_.is_alone();
  if (isolated == state_.isolated) return;
  state_.update([&] { state_.isolated = isolated; });
}

PieceExchange::Moment AveragingLoop::moment() {
  return {.units = state_.units(), .gradients = state_.gradients};
}

void AveragingLoop::begin_pair() {
  const int rank = *pairing_.partner();
  in_pair_ = true;
  paired_at_ = Clock::now();
  moved_at_ = attended_.seconds();
  {
    const std::lock_guard lock(state_.mutex);
    state_.statistics.add_wait(
        duration<double>(paired_at_ - wanted_at_).count());
  }
  with_peer(rank, [&](Peer& peer) {
    // Of two that are fresh neither takes: one's values may be a checkpoint's,
    // the other's none.
    const PieceExchange::Manner manner =
        peer.is_fresh  ? PieceExchange::Manner::kGive
        : state_.fresh ? PieceExchange::Manner::kTake
                       : PieceExchange::Manner::kAverage;
    exchange_.begin(peer.edge, manner, moment());
    ++state_.messages;
    state_.bytes += static_cast<int64_t>(replica_.x().size() * sizeof(float));
  });
}

bool AveragingLoop::advance_pair() {
  if (!in_pair_) return false;
  bool any = false;
  with_peer(*pairing_.partner(), [&](Peer& peer) {
    any = exchange_.advance(moment());
    if (any) moved_at_ = peer.heard_at = attended_.seconds();
  });
  if (!in_pair_) return true; // lost
  if (exchange_.is_done()) finish_pair();
  return any;
}

void AveragingLoop::finish_pair() {
  // The peer may have said meanwhile that it is fresh no more: it was when it
  // gave nothing.
  if (exchange_.manner() == PieceExchange::Manner::kTake) state_.fresh = false;
  {
    const auto now = Clock::now();
    const std::lock_guard lock(state_.mutex);
    state_.statistics.add_averaging(
        *pairing_.partner(),
        exchange_.staleness(),
        duration<double>(now - paired_at_).count());
    state_.pairs.push_back({*pairing_.partner(), paired_at_, now});
    if (state_.pairs.size() > kPairsKept) state_.pairs.pop_front();
  }
  leave_pair();
  send_pairing_messages();
}

void AveragingLoop::leave_pair() {
  state_.update([&] {
    --state_.lag;
    if (state_.fresh && !state_.ending) { // it came to nothing, or was as fresh
      ++state_.wants;
      ++state_.lag;
    }
  });
  in_pair_ = false;
  wanted_at_ = Clock::now();
  pairing_.finish(pairing_messages_);
}

} // namespace grapevine::gossip
