#include "gossip/pairing.h"

#include "base/check.h"
#include "base/error.h"

#include <algorithm>
#include <utility>

namespace grapevine::gossip {
namespace {

bool contains(const std::vector<int>& sorted, int value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

void insert(std::vector<int>& sorted, int value) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), value);
  if (at == sorted.end() || *at != value) sorted.insert(at, value);
}

void remove(std::vector<int>& sorted, int value) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), value);
  if (at != sorted.end() && *at == value) sorted.erase(at);
}

void remove(std::deque<int>& queue, int value) {
  std::erase(queue, value);
}

} // namespace

Pairing::Pairing(int rank, std::vector<int> neighbours, uint64_t seed)
    : rank_(rank),
      seed_(seed),
      neighbours_(std::move(neighbours)) {
  std::sort(neighbours_.begin(), neighbours_.end());
  GV_CHECK(!is_neighbour(rank_));
}

bool Pairing::is_neighbour(int peer) const {
  return contains(neighbours_, peer);
}

bool Pairing::is_alone() const {
  return std::ranges::none_of(neighbours_, [&](int peer) {
    return !asks_only_ || contains(*asks_only_, peer);
  });
}

void Pairing::want(int64_t count, std::vector<PairingMessage>& say) {
  wanted_ += count;
  refusals_ = 0;
  if (partner_) ++wants_in_pair_;
  if (!partner_ && patience_ > 0) {
    --patience_;
  } else {
    soon_.clear(); // whoever has not come by now has found others
  }
  go_on(say);
}

void Pairing::hear(
    int peer,
    PairingKind word,
    std::vector<PairingMessage>& say) {
  if (!is_neighbour(peer)) return; // a last word of one that is gone
  if (word != PairingKind::kAsk && asked_ != peer) {
    throw TransportError("it has answered what it was not asked");
  }
  switch (word) {
    case PairingKind::kAsk:
      hear_ask(peer, say);
      break;
    case PairingKind::kYes:
      pair_with(peer, say);
      break;
    case PairingKind::kSoon:
      insert(soon_, peer);
      [[fallthrough]];
    case PairingKind::kLater:
      insert(refused_, peer);
      [[fallthrough]];
    case PairingKind::kNo:
      asked_.reset();
      if (!paying_) ++refusals_;
      go_on(say);
      break;
  }
}

void Pairing::hear_ask(int peer, std::vector<PairingMessage>& say) {
  remove(refused_, peer); // it has paid
  remove(soon_, peer);
  if (asked_ == peer) {
    pair_with(peer, say);
  } else if (asked_ && peer > rank_) {
    kept_.push_back(peer);
  } else if (is_free() && is_in_want() && !is_encore(peer)) {
    say.push_back({peer, PairingKind::kYes});
    pair_with(peer, say);
  } else {
    refuse(peer, say);
  }
}

void Pairing::pair_with(int peer, std::vector<PairingMessage>& say) {
  asked_.reset();
  partner_ = last_ = peer;
  --wanted_;
  refusals_ = 0;
  remove(owed_, peer);
  while (!kept_.empty()) {
    const int waiting = kept_.front();
    kept_.pop_front();
    refuse(waiting, say);
  }
}

void Pairing::refuse(int peer, std::vector<PairingMessage>& say) {
  const bool is_owed =
      std::find(owed_.begin(), owed_.end(), peer) != owed_.end();
  const bool has_room = owed_.size() < kMostOwed;
  if (!is_owed && has_room) owed_.push_back(peer);
  // For all that it owes an ask, and those are asked first.
  const bool shall_want =
      partner_ && !stopped_ && wanted_ >= static_cast<int64_t>(owed_.size());
  const bool owes = is_owed || has_room;
  say.push_back(
      {peer,
       !owes        ? PairingKind::kNo
       : shall_want ? PairingKind::kSoon
                    : PairingKind::kLater});
}

void Pairing::finish(std::vector<PairingMessage>& say) {
  GV_CHECK(partner_.has_value());
  partner_.reset();
  patience_ = std::exchange(wants_in_pair_, 0);
  go_on(say);
}

void Pairing::lose(int peer, std::vector<PairingMessage>& say) {
  remove(neighbours_, peer);
  remove(refused_, peer);
  remove(soon_, peer);
  remove(owed_, peer);
  remove(kept_, peer);
  if (asked_ == peer) asked_.reset();
  go_on(say);
}

void Pairing::join(int peer, std::vector<PairingMessage>& say) {
  GV_CHECK(peer != rank_);
  insert(neighbours_, peer);
  go_on(say);
}

void Pairing::ask_only(
    std::vector<int> peers,
    std::vector<PairingMessage>& say) {
  std::ranges::sort(peers);
  asks_only_ = std::move(peers);
  go_on(say);
}

void Pairing::stop(std::vector<PairingMessage>& say) {
  stopped_ = true;
  go_on(say);
}

void Pairing::go_on(std::vector<PairingMessage>& say) {
  if (!is_free()) return;
  if (!kept_.empty() && is_in_want()) {
    const int waiting = kept_.front();
    kept_.pop_front();
    say.push_back({waiting, PairingKind::kYes});
    pair_with(waiting, say);
    return;
  }
  while (!kept_.empty()) { // stopped meanwhile
    const int waiting = kept_.front();
    kept_.pop_front();
    refuse(waiting, say);
  }
  if (!is_in_want()) return;
  asked_ = next_to_ask();
  if (asked_) say.push_back({*asked_, PairingKind::kAsk});
}

std::optional<int> Pairing::next_to_ask() {
  const auto owed = std::find_if(owed_.begin(), owed_.end(), [&](int peer) {
    return !is_encore(peer);
  });
  paying_ = owed != owed_.end();
  if (paying_) {
    const int peer = *owed;
    owed_.erase(owed);
    return peer;
  }
  if (refusals_ >= kMostRefusals) return std::nullopt;
  std::vector<int> candidates;
  std::set_difference(
      neighbours_.begin(),
      neighbours_.end(),
      refused_.begin(),
      refused_.end(),
      std::back_inserter(candidates));
  std::erase_if(candidates, [&](int peer) {
    return is_encore(peer) || (asks_only_ && !contains(*asks_only_, peer));
  });
  if (candidates.empty()) return std::nullopt;
  Random random(seed_, Purpose::kGossip, rank_, draws_++);
  return candidates[random.below(candidates.size())];
}

Pairing::State Pairing::state() const {
  return {
      .wanted = wanted_,
      .partner = partner_,
      .asked = asked_,
      .owed = {owed_.begin(), owed_.end()},
      .kept = {kept_.begin(), kept_.end()},
      .refused = refused_,
      .soon = soon_,
      .last = last_,
      .wants_in_pair = wants_in_pair_,
      .patience = patience_,
      .refusals = refusals_,
      .paying = paying_,
      .draws = draws_,
      .stopped = stopped_};
}

void Pairing::restore(const State& state) {
  wanted_ = state.wanted;
  partner_ = state.partner;
  asked_ = state.asked;
  owed_ = {state.owed.begin(), state.owed.end()};
  kept_ = {state.kept.begin(), state.kept.end()};
  refused_ = state.refused;
  soon_ = state.soon;
  last_ = state.last;
  wants_in_pair_ = state.wants_in_pair;
  patience_ = state.patience;
  refusals_ = state.refusals;
  paying_ = state.paying;
  draws_ = state.draws;
  stopped_ = state.stopped;
}

} // namespace grapevine::gossip
