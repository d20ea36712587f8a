// The neighbours of an averaging loop: who is there, what they send, what they
// are sent.
#include "base/error.h"
#include "gossip/averaging_loop.h"

#include <fmt/format.h>

#include <algorithm>

namespace grapevine::gossip {
namespace {

constexpr int kNoPeer = -1;
constexpr double kShortestGap = 0.01; // between two messages to a neighbour
constexpr double kGapShare = 0.03;    // of the time that has passed, at most

} // namespace

std::vector<int> AveragingLoop::linked_ranks() const {
  std::vector<int> ranks;
  for (const auto& [rank, peer] : peers_)
    ranks.push_back(rank);
  return ranks;
}

bool AveragingLoop::apply_edge_changes() {
  const auto changes = edges_.changes();
  if (changes.empty()) return false;
  // First of all those that are gone, as are their transports.
  for (const member::EdgeChange& change : changes) {
    if (change.linked) continue;
    require_survival(change.rank, change.why);
    forget(change.rank, change.why);
  }
  for (const member::EdgeChange& change : changes) {
    if (change.linked) link(change.rank, change.why);
  }
  send_pairing_messages();
  state_.update([&] { state_.linked = static_cast<int>(peers_.size()); });
  return true;
}

void AveragingLoop::refresh_ended() {
  constexpr double kEverySeconds = 0.5;
  if (attended_.seconds() < asked_who_ended_at_ + kEverySeconds) return;
  asked_who_ended_at_ = attended_.seconds();
  edges_.show_progress(state_.gradients);
  auto ended = edges_.ended();
  const std::lock_guard lock(state_.mutex);
  state_.ended = std::move(ended);
}

void AveragingLoop::link(int rank, const std::string& why) {
  const member::Edge edge = edges_.edge(rank);
  if (edge.transport == nullptr) return; // gone again
  try {
    peers_[rank] = std::make_unique<Peer>(edge, edges_.size(), most_gradients_);
  } catch (const TransportError& error) {
    lose(rank, error.what());
    return;
  }
  peers_.at(rank)->heard_at = attended_.seconds();
  state_.has_met_any = true;
  record_membership(rank, true, why);
  if (sent_ending_) send(rank, ControlMessage::kEnding);
  if (!peers_.contains(rank)) return;
  pairing_.join(rank, pairing_messages_);
  send_pairing_messages();
}

void AveragingLoop::record_membership(
    int rank,
    bool is_there,
    const std::string& why) {
  const std::lock_guard lock(state_.mutex);
  state_.membership.push_back({state_.seconds(), rank, is_there, why});
}

void AveragingLoop::require_survival(int rank, const std::string& why) const {
  if (edges_.survives_loss()) return;
  throw TransportError(fmt::format("worker {} is lost: {}", rank, why));
}

void AveragingLoop::lose(int rank, const std::string& why) {
  require_survival(rank, why);
  edges_.lose(rank, why);
  forget(rank, why);
  send_pairing_messages();
}

void AveragingLoop::forget(int rank, const std::string& why) {
  if (peers_.erase(rank) == 0) return;
  record_membership(rank, false, why);
  // Messages that were meant for it are not for its successor.
  for (PairingMessage& message : pairing_messages_) {
    if (message.peer == rank) message.peer = kNoPeer;
  }
  pairing_.lose(rank, pairing_messages_);
  if (pairing_.partner() == rank) {
    exchange_.give_up();
    leave_pair();
  }
}

void AveragingLoop::send(int rank, uint8_t kind) {
  with_peer(rank, [&](Peer& peer) {
    if (peer.said_bye) return;
    peer.channel.send(
        {.kind = kind,
         .is_fresh = state_.fresh,
         .news = state_.progress.news(state_.seconds())});
    peer.told_at = state_.seconds();
    ++state_.messages;
    state_.bytes += control_message_bytes(edges_.size());
  });
}

bool AveragingLoop::read_messages() {
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

void AveragingLoop::handle(int rank, const ControlMessage& message) {
  state_.progress.merge(message.news, state_.seconds());
  if (state_.has_enough()) state_.ask_for_end();
  Peer& peer = *peers_.at(rank);
  peer.heard_at = attended_.seconds();
  if (message.kind == ControlMessage::kNews) return;
  if (message.kind == ControlMessage::kEnding) {
    state_.ask_for_end();
    return;
  }
  if (message.kind == ControlMessage::kBye) {
    state_.ask_for_end();
    peer.heard_bye = true;
    pairing_.lose(rank, pairing_messages_); // it asks and answers no more
  } else {
    peer.is_fresh = message.is_fresh;
    with_peer(rank, [&](Peer&) {
      pairing_.hear(
          rank,
          static_cast<PairingKind>(message.kind),
          pairing_messages_);
    });
  }
  send_pairing_messages();
}

// Losing a peer while messages are sent adds others after them.
void AveragingLoop::send_pairing_messages() {
  if (is_sending_) return;
  is_sending_ = true;
  for (size_t i = 0; i < pairing_messages_.size(); ++i) {
    const PairingMessage message = pairing_messages_[i];
    const auto at = peers_.find(message.peer);
    if (at == peers_.end()) continue;
    if (message.word == PairingKind::kAsk)
      at->second->asked_at = attended_.seconds();
    send(message.peer, static_cast<uint8_t>(message.word));
  }
  pairing_messages_.clear();
  is_sending_ = false;
  if (pairing_.partner() && !in_pair_) begin_pair();
}

// To neighbours that have not heard from this worker for a while, which grows
// with the run: news need not be newer than a part of what they are about. But
// they are also how neighbours know that this worker is there.
void AveragingLoop::send_progress() {
  const double now = state_.seconds();
  const double longest = std::min(
      std::max(kShortestGap, kGapShare * now),
      deadline_ / kGapsInDeadline);
  std::vector<int> ranks;
  for (const auto& [rank, peer] : peers_) {
    if (now - peer->told_at > longest) ranks.push_back(rank);
  }
  for (const int rank : ranks)
    send(rank, ControlMessage::kNews);
}

void AveragingLoop::check_deadlines() {
  const double limit = attended_.seconds() - deadline_;
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

void AveragingLoop::send_ending() {
  if (!state_.ending || sent_ending_) return;
  sent_ending_ = true;
  pairing_.stop(pairing_messages_);
  send_pairing_messages();
  for (const int rank : linked_ranks())
    send(rank, ControlMessage::kEnding);
}

// Once nothing is in progress: this worker's last messages.
void AveragingLoop::send_goodbye() {
  const bool is_quiet = !in_pair_ && !pairing_.asked();
  {
    const std::lock_guard lock(state_.mutex);
    if (!sent_ending_ || !state_.may_part || !is_quiet) return;
  }
  if (!is_parting_) {
    is_parting_ = true;
    parting_at_ = attended_.seconds();
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

} // namespace grapevine::gossip
