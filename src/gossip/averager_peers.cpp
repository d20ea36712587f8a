// The averager's neighbours: who is there, what they say, what they are told.
#include "gossip/averager_peer.h"

#include <fmt/format.h>

#include <algorithm>

namespace grapevine::gossip {
namespace {

constexpr int kNobody = -1;
constexpr double kShortestGap = 0.01; // between two letters to a neighbour
constexpr double kGapShare = 0.03;    // of the time that has passed, at most

} // namespace

std::vector<int> Averager::linked_ranks() const {
  std::vector<int> ranks;
  for (const auto& [rank, peer] : peers_)
    ranks.push_back(rank);
  return ranks;
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

void Averager::see_who_has_ended() {
  constexpr double kEverySeconds = 0.5;
  if (attended_ < asked_who_ended_at_ + kEverySeconds) return;
  asked_who_ended_at_ = attended_;
  edges_.show_progress(gradients_);
  auto ended = edges_.ended();
  const std::lock_guard lock(mutex_);
  ended_ = std::move(ended);
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
  has_met_anybody_ = true;
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

void Averager::send(int rank, uint8_t kind) {
  with_peer(rank, [&](Peer& peer) {
    if (peer.said_bye) return;
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
    peer.heard_bye = true;
    pairing_.lose(rank, say_); // it asks and answers no more
  } else {
    peer.is_fresh = letter.is_fresh;
    pairing_.hear(rank, static_cast<Word>(letter.kind), say_);
  }
  follow_up();
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
    if (peer->heard_bye) continue;
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
    if (!peer->said_bye) ranks.push_back(rank);
  }
  for (const int rank : ranks) {
    send(rank, Letter::kBye);
    with_peer(rank, [](Peer& peer) { peer.said_bye = true; });
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
      over &= peer.heard_bye && peer.mail.is_empty();
    });
  }
  return over;
}

} // namespace grapevine::gossip
