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

bool Averager::apply_edge_changes() {
  const auto changes = edges_.changes();
  if (changes.empty()) return false;
  // First of all who is gone, whose transport is, too: nobody talks to them.
  for (const member::EdgeChange& change : changes) {
    if (change.linked) continue;
    require_survival(change.rank, change.why);
    forget(change.rank, change.why);
  }
  for (const member::EdgeChange& change : changes) {
    if (change.linked) link(change.rank, change.why);
  }
  send_pairing_messages();
  {
    const std::lock_guard lock(mutex_);
    linked_ = peers_.size();
  }
  changed_.notify_all();
  return true;
}

void Averager::refresh_ended() {
  constexpr double kEverySeconds = 0.5;
  if (attended_ < asked_who_ended_at_ + kEverySeconds) return;
  asked_who_ended_at_ = attended_;
  edges_.show_progress(gradients_);
  auto ended = edges_.ended();
  const std::lock_guard lock(mutex_);
  ended_ = std::move(ended);
}

void Averager::link(int rank, const std::string& why) {
  const member::Edge edge = edges_.edge(rank);
  if (edge.transport == nullptr) return; // gone again
  try {
    peers_[rank] = std::make_unique<Peer>(edge, edges_.size());
  } catch (const TransportError& error) {
    lose(rank, error.what());
    return;
  }
  peers_.at(rank)->heard_at = attended_;
  has_met_anybody_ = true;
  record_membership(rank, true, why);
  if (sent_ending_) send(rank, ControlMessage::kEnding);
  if (!peers_.contains(rank)) return;
  pairing_.join(rank, pairing_messages_);
  send_pairing_messages();
}

void Averager::require_survival(int rank, const std::string& why) const {
  if (edges_.survives_loss()) return;
  throw TransportError(fmt::format("worker {} is lost: {}", rank, why));
}

void Averager::lose(int rank, const std::string& why) {
  require_survival(rank, why);
  edges_.lose(rank, why);
  forget(rank, why);
  send_pairing_messages();
}

void Averager::forget(int rank, const std::string& why) {
  if (peers_.erase(rank) == 0) return;
  record_membership(rank, false, why);
  // Words that were meant for it are not for its successor.
  for (PairingMessage& message : pairing_messages_) {
    if (message.peer == rank) message.peer = kNobody;
  }
  pairing_.lose(rank, pairing_messages_);
  if (pairing_.partner() == rank) {
    exchange_.give_up();
    leave_pair();
  }
}

void Averager::send(int rank, uint8_t kind) {
  with_peer(rank, [&](Peer& peer) {
    if (peer.said_bye) return;
    peer.channel.send(
        {.kind = kind,
         .is_fresh = fresh_,
         .news = progress_.news(now_seconds())});
    peer.told_at = now_seconds();
    ++messages_;
    bytes_ += control_message_bytes(edges_.size());
  });
}

bool Averager::read_messages() {
  bool any = false;
  for (const int rank : linked_ranks()) {
    std::optional<ControlMessage> message;
    do {
      message.reset();
      with_peer(rank, [&](Peer& peer) { message = peer.channel.receive(); });
      if (message) handle(rank, *message);
      any |= message.has_value();
    } while (message);
  }
  return any;
}

void Averager::handle(int rank, const ControlMessage& message) {
  progress_.merge(message.news, now_seconds());
  if (has_enough()) ask_for_end();
  Peer& peer = *peers_.at(rank);
  peer.heard_at = attended_;
  if (message.kind == ControlMessage::kNews) return;
  if (message.kind == ControlMessage::kEnding) {
    ask_for_end();
    return;
  }
  if (message.kind == ControlMessage::kBye) {
    ask_for_end();
    peer.heard_bye = true;
    pairing_.lose(rank, pairing_messages_); // it asks and answers no more
  } else {
    peer.is_fresh = message.is_fresh;
    pairing_.hear(
        rank,
        static_cast<PairingKind>(message.kind),
        pairing_messages_);
  }
  send_pairing_messages();
}

// Losing somebody while words are said adds others behind them.
void Averager::send_pairing_messages() {
  if (is_sending_) return;
  is_sending_ = true;
  for (size_t i = 0; i < pairing_messages_.size(); ++i) {
    const PairingMessage message = pairing_messages_[i];
    const auto at = peers_.find(message.peer);
    if (at == peers_.end()) continue;
    if (message.word == PairingKind::kAsk) at->second->asked_at = attended_;
    send(message.peer, static_cast<uint8_t>(message.word));
  }
  pairing_messages_.clear();
  is_sending_ = false;
  if (pairing_.partner() && !in_pair_) begin_pair();
}

// To whoever has not heard from this worker for a while, which grows with the
// run: news need not be newer than a part of what they are about. But they are
// also how neighbours know that this worker is there.
void Averager::send_progress() {
  const double now = now_seconds();
  const double longest = std::min(
      std::max(kShortestGap, kGapShare * now),
      options_.deadline.count() / kGapsInDeadline);
  std::vector<int> ranks;
  for (const auto& [rank, peer] : peers_) {
    if (now - peer->told_at > longest) ranks.push_back(rank);
  }
  for (const int rank : ranks)
    send(rank, ControlMessage::kNews);
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
void Averager::send_goodbye() {
  const bool is_quiet = !in_pair_ && !pairing_.asked();
  {
    const std::lock_guard lock(mutex_);
    if (!sent_ending_ || !may_part_ || !is_quiet) return;
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
    send(rank, ControlMessage::kBye);
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
      over &= peer.heard_bye && peer.channel.is_empty();
    });
  }
  return over;
}

} // namespace grapevine::gossip
