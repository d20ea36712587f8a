#include "gossip/averager.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace grapevine::gossip {
namespace {

constexpr int kNobody = -1;
constexpr size_t kPairsKept = 64;
constexpr double kShortestGap = 0.01; // between two letters to a neighbour
constexpr double kGapShare = 0.03;    // of the time that has passed, at most
constexpr double kGapsInDeadline = 4; // at least

} // namespace

using std::chrono::duration;
using std::chrono::microseconds;

struct Averager::Peer {
  Peer(transport::Edge edge, int size) : edge(edge), mail(edge, size) {}

  transport::Edge edge;
  Mailbox mail;
  bool is_fresh = false; // by its last word of pairing
  bool has_parted = false;
  bool is_parted_from = false;
  double told_at = 0; // of news, which every letter has
  // In attended seconds.
  double asked_at = 0;
  double heard_at = 0;
};

Averager::Averager(
    Replica& replica,
    transport::Edges& edges,
    const std::vector<int>& neighbours,
    AveragerOptions options)
    : replica_(replica),
      edges_(edges),
      options_(std::move(options)),
      tally_(edges.rank(), edges.size(), options_.counts_before),
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
    if (!peer->is_parted_from) edges_.lose(rank, "given up");
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
  tally_.add(now_seconds());
  {
    const std::lock_guard lock(mutex_);
    rethrow();
    clock_.gradient_done(now_seconds(), seconds);
    ++statistics_.gradients;
    if (neighbours_ > 0 && !isolated_) {
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
  const auto since = Clock::now();
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, options_.deadline, [&] {
    return lag_ <= max_lag || ending_ || isolated_ || error_;
  });
  statistics_.held_seconds += duration<double>(Clock::now() - since).count();
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

std::vector<MembershipChange> Averager::membership() {
  const std::lock_guard lock(mutex_);
  return std::exchange(membership_, {});
}

std::vector<PairPeriod> Averager::pairs() {
  const std::lock_guard lock(mutex_);
  const auto taken = std::exchange(pairs_, {});
  return {taken.begin(), taken.end()};
}

void Averager::note(int rank, bool is_there, const std::string& why) {
  const std::lock_guard lock(mutex_);
  membership_.push_back({now_seconds(), rank, is_there, why});
}

// The averaging thread.

void Averager::run() {
  try {
    int idle = 0;
    while (!is_over()) {
      idle = look_around() ? 0 : idle + 1;
      if (idle > 0) rest(idle);
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

std::vector<int> Averager::linked_ranks() const {
  std::vector<int> ranks;
  for (const auto& [rank, peer] : peers_)
    ranks.push_back(rank);
  return ranks;
}

// Much at once was not spent looking: the process was stopped, or starved.
void Averager::count_time() {
  const double most = options_.deadline.count() / kGapsInDeadline;
  const auto now = Clock::now();
  attended_ += std::min(most, duration<double>(now - counted_at_).count());
  counted_at_ = now;
}

bool Averager::look_around() {
  count_time();
  bool any = see_changes();
  settle_for_own_values();
  any |= read_mail();
  any |= take_wants();
  any |= advance_pair();
  check_deadlines();
  spread_news();
  if (ending_ && !told_ending_) {
    told_ending_ = true;
    pairing_.stop(say_);
    follow_up();
    for (const int rank : linked_ranks())
      send(rank, Letter::kEnding);
  }
  say_goodbye();
  see_isolation();
  return any;
}

void Averager::see_isolation() {
  const bool isolated = neighbours_ > 0 && pairing_.is_alone();
  if (isolated == isolated_) return;
  {
    const std::lock_guard lock(mutex_); // whoever waits must not miss it
    isolated_ = isolated;
  }
  changed_.notify_all();
}

// Not between an ask that said it was fresh and the pair that comes of it.
void Averager::settle_for_own_values() {
  if (!is_content_ || !fresh_ || in_pair_ || pairing_.asked()) return;
  {
    const std::lock_guard lock(mutex_);
    fresh_ = false;
  }
  changed_.notify_all();
}

// To whoever has not heard from this worker for a while, which grows with the
// run: news need not be newer than a part of what they are about. But they are
// also how neighbours know that this worker is there.
void Averager::spread_news() {
  const double now = now_seconds();
  const double longest = std::min(
      std::max(kShortestGap, kGapShare * now),
      options_.deadline.count() / kGapsInDeadline);
  std::vector<int> ranks;
  for (const auto& [rank, peer] : peers_) {
    if (now - peer->told_at > longest) ranks.push_back(rank);
  }
  for (const int rank : ranks)
    send(rank, Letter::kNews);
}

bool Averager::has_enough() const {
  return tally_.estimate(now_seconds()) >=
         static_cast<double>(options_.total_gradients);
}

// Words and pieces are seen when they are looked for, so sleeps are short; but
// the processor belongs to the gradients. In a pair several pieces are under
// way, which outlast a sleep on any link.
void Averager::rest(int idle) {
  const bool is_answer_near = pairing_.asked().has_value();
  const auto longest = microseconds(is_answer_near ? 100 : 300);
  const auto pause = std::min(longest, microseconds(10) * idle);
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, pause, [&] { return wants_ > 0 || stop_; });
}

bool Averager::see_changes() {
  const auto changes = edges_.changes();
  if (changes.empty()) return false;
  // First of all who is gone, whose transport is, too: nobody talks to them.
  for (const transport::EdgeChange& change : changes) {
    if (change.linked) continue;
    require_survival(change.rank, change.why);
    forget(change.rank, change.why);
  }
  for (const transport::EdgeChange& change : changes) {
    if (change.linked) link(change.rank, change.why);
  }
  follow_up();
  {
    const std::lock_guard lock(mutex_);
    linked_ = peers_.size();
  }
  changed_.notify_all();
  return true;
}

void Averager::link(int rank, const std::string& why) {
  const transport::Edge edge = edges_.edge(rank);
  if (edge.transport == nullptr) return; // gone again
  try {
    peers_[rank] = std::make_unique<Peer>(edge, edges_.size());
  } catch (const TransportError& error) {
    lose(rank, error.what());
    return;
  }
  peers_.at(rank)->heard_at = attended_;
  note(rank, true, why);
  if (told_ending_) send(rank, Letter::kEnding);
  if (!peers_.contains(rank)) return;
  pairing_.join(rank, say_);
  follow_up();
}

void Averager::require_survival(int rank, const std::string& why) const {
  if (edges_.survives_loss()) return;
  throw TransportError(fmt::format("worker {} is lost: {}", rank, why));
}

void Averager::lose(int rank, const std::string& why) {
  require_survival(rank, why);
  edges_.lose(rank, why);
  forget(rank, why);
  follow_up();
}

void Averager::forget(int rank, const std::string& why) {
  if (peers_.erase(rank) == 0) return;
  note(rank, false, why);
  // Words that were meant for it are not for its successor.
  for (Saying& saying : say_) {
    if (saying.peer == rank) saying.peer = kNobody;
  }
  pairing_.lose(rank, say_);
  if (pairing_.partner() == rank) {
    exchange_.give_up();
    leave_pair();
  }
}

template <typename Work>
void Averager::with_peer(int rank, Work&& work) {
  const auto at = peers_.find(rank);
  if (at == peers_.end()) return;
  try {
    work(*at->second);
  } catch (const TransportError& error) {
    lose(rank, error.what());
  }
}

void Averager::send(int rank, uint8_t kind) {
  with_peer(rank, [&](Peer& peer) {
    if (peer.has_parted) return;
    peer.mail.send(
        {.kind = kind, .is_fresh = fresh_, .news = tally_.news(now_seconds())});
    peer.told_at = now_seconds();
    ++messages_;
    bytes_ += letter_bytes(edges_.size());
  });
}

bool Averager::read_mail() {
  bool any = false;
  for (const int rank : linked_ranks()) {
    std::optional<Letter> letter;
    do {
      letter.reset();
      with_peer(rank, [&](Peer& peer) { letter = peer.mail.receive(); });
      if (letter) heed(rank, *letter);
      any |= letter.has_value();
    } while (letter);
  }
  return any;
}

void Averager::heed(int rank, const Letter& letter) {
  tally_.merge(letter.news, now_seconds());
  if (has_enough()) ask_for_end();
  Peer& peer = *peers_.at(rank);
  peer.heard_at = attended_;
  if (letter.kind == Letter::kNews) return;
  if (letter.kind == Letter::kEnding) {
    ask_for_end();
    return;
  }
  if (letter.kind == Letter::kBye) {
    ask_for_end();
    peer.is_parted_from = true;
    pairing_.lose(rank, say_); // it asks and answers no more
  } else {
    peer.is_fresh = letter.is_fresh;
    pairing_.hear(rank, static_cast<Word>(letter.kind), say_);
  }
  follow_up();
}

bool Averager::take_wants() {
  int64_t wants = 0;
  std::optional<std::vector<int>> asks_only;
  {
    const std::lock_guard lock(mutex_);
    wants = std::exchange(wants_, 0);
    asks_only = std::exchange(asks_only_, std::nullopt);
  }
  if (asks_only) pairing_.ask_only(std::move(*asks_only), say_);
  // A gradient without one is a reminder of those that are wanted already.
  const int64_t gradients = gradients_;
  const bool is_reminder =
      std::exchange(gradients_at_last_look_, gradients) != gradients;
  if (wants == 0 && !is_reminder) return false;
  if (pairing_.wanted() == 0 && !in_pair_) wanted_at_ = Clock::now();
  pairing_.want(wants, say_);
  follow_up();
  return true;
}

// Losing somebody while words are said adds others behind them.
void Averager::follow_up() {
  if (is_speaking_) return;
  is_speaking_ = true;
  for (size_t i = 0; i < say_.size(); ++i) {
    const Saying saying = say_[i];
    const auto at = peers_.find(saying.peer);
    if (at == peers_.end()) continue;
    if (saying.word == Word::kAsk) at->second->asked_at = attended_;
    send(saying.peer, static_cast<uint8_t>(saying.word));
  }
  say_.clear();
  is_speaking_ = false;
  if (pairing_.partner() && !in_pair_) begin_pair();
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
    const PieceExchange::Manner manner =
        fresh_ == peer.is_fresh ? PieceExchange::Manner::kAverage
        : fresh_                ? PieceExchange::Manner::kTake
                                : PieceExchange::Manner::kGive;
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
  const Peer& peer = *peers_.at(*pairing_.partner());
  if (fresh_ && !peer.is_fresh) fresh_ = false;
  {
    const auto now = Clock::now();
    const std::lock_guard lock(mutex_);
    statistics_.add_averaging(
        exchange_.staleness(),
        duration<double>(now - paired_at_).count());
    pairs_.push_back({*pairing_.partner(), paired_at_, now});
    if (pairs_.size() > kPairsKept) pairs_.pop_front();
  }
  leave_pair();
  follow_up();
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
  pairing_.finish(say_);
}

void Averager::check_deadlines() {
  const double limit = attended_ - options_.deadline.count();
  if (in_pair_ && moved_at_ < limit) {
    lose(*pairing_.partner(), "no piece of its replica came in time");
  }
  const auto asked = pairing_.asked();
  if (asked && peers_.contains(*asked) && peers_.at(*asked)->asked_at < limit) {
    lose(*asked, "it did not answer in time");
  }
  const bool is_late = is_parting_ && parting_at_ < limit;
  std::vector<int> silent;
  for (const auto& [rank, peer] : peers_) {
    if (peer->is_parted_from) continue;
    if (is_late || peer->heard_at < limit) silent.push_back(rank);
  }
  for (const int rank : silent) {
    if (!peers_.contains(rank)) continue; // lost with another
    lose(
        rank,
        is_late ? "it did not come to the end in time"
                : "nothing was heard of it in time");
  }
}

// Once nothing is under way: this worker's last letters.
void Averager::say_goodbye() {
  const bool is_quiet = !in_pair_ && !pairing_.asked();
  {
    const std::lock_guard lock(mutex_);
    if (!told_ending_ || !may_part_ || !is_quiet) return;
  }
  if (!is_parting_) {
    is_parting_ = true;
    parting_at_ = attended_;
  }
  std::vector<int> ranks;
  for (const auto& [rank, peer] : peers_) {
    if (!peer->has_parted) ranks.push_back(rank);
  }
  for (const int rank : ranks) {
    send(rank, Letter::kBye);
    with_peer(rank, [](Peer& peer) { peer.has_parted = true; });
  }
}

bool Averager::is_over() {
  {
    const std::lock_guard lock(mutex_);
    if (stop_) return true;
  }
  if (!is_parting_) return false;
  bool over = true;
  for (const int rank : linked_ranks()) {
    with_peer(rank, [&](Peer& peer) {
      over &= peer.is_parted_from && peer.mail.is_empty();
    });
  }
  return over;
}

} // namespace grapevine::gossip
