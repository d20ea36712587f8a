// The state of a virtual run between two events, as JSON.
#include "base/error.h"
#include "sim/virtual_gossip.h"
#include "sim/virtual_member.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace grapevine::sim {
namespace {

using nlohmann::json;

json to_json(const std::optional<int>& rank) {
  return rank ? json(*rank) : json(nullptr);
}

std::optional<int> rank_from(const json& value) {
  if (value.is_null()) return std::nullopt;
  return value.get<int>();
}

json to_json(const gossip::Pairing::State& state) {
  return {
      {"wanted", state.wanted},
      {"partner", to_json(state.partner)},
      {"asked", to_json(state.asked)},
      {"owed", state.owed},
      {"kept", state.kept},
      {"refused", state.refused},
      {"soon", state.soon},
      {"last", to_json(state.last)},
      {"wants_in_pair", state.wants_in_pair},
      {"patience", state.patience},
      {"refusals", state.refusals},
      {"paying", state.paying},
      {"draws", state.draws},
      {"stopped", state.stopped}};
}

gossip::Pairing::State pairing_from(const json& value) {
  return {
      .wanted = value.at("wanted"),
      .partner = rank_from(value.at("partner")),
      .asked = rank_from(value.at("asked")),
      .owed = value.at("owed"),
      .kept = value.at("kept"),
      .refused = value.at("refused"),
      .soon = value.at("soon"),
      .last = rank_from(value.at("last")),
      .wants_in_pair = value.value("wants_in_pair", 0),
      .patience = value.value("patience", 0),
      .refusals = value.at("refusals"),
      .paying = value.at("paying"),
      .draws = value.at("draws"),
      .stopped = value.at("stopped")};
}

json to_json(const gossip::Statistics& statistics) {
  json pairs = json::array();
  for (const auto& [peer, pair] : statistics.pairs)
    pairs.push_back({peer, pair.averagings, pair.seconds});
  return {
      {"gradients", statistics.gradients},
      {"averagings", statistics.averagings},
      {"staleness", statistics.staleness},
      {"staleness_most", statistics.staleness_most},
      {"wait_seconds", statistics.wait_seconds},
      {"wait_most", statistics.wait_most},
      {"pair_seconds", statistics.pair_seconds},
      {"held_seconds", statistics.held_seconds},
      {"pairs", pairs}};
}

gossip::Statistics statistics_from(const json& value) {
  gossip::Statistics statistics{
      .gradients = value.at("gradients"),
      .averagings = value.at("averagings"),
      .staleness = value.at("staleness"),
      .staleness_most = value.at("staleness_most"),
      .wait_seconds = value.at("wait_seconds"),
      .wait_most = value.at("wait_most"),
      .pair_seconds = value.at("pair_seconds"),
      .held_seconds = value.at("held_seconds")};
  for (const json& pair : value.value("pairs", json::array())) {
    statistics.pairs[pair.at(0)] = {
        .averagings = pair.at(1),
        .seconds = pair.at(2)};
  }
  return statistics;
}

} // namespace

json VirtualGossip::state() const {
  json members = json::array();
  for (const auto& member : members_) {
    const gossip::UnitClock::State& clock = member->clock.state();
    members.push_back(
        {{"pairing", to_json(member->pairing.state())},
         {"clock", {clock.seconds, clock.units, clock.average}},
         {"statistics", to_json(member->statistics)},
         {"flowed", member->replica->flowed()},
         {"next_gradient", member->next_gradient},
         {"computes", member->computes},
         {"computes_since", member->computes_since},
         {"is_held", member->is_held},
         {"held_since", member->held_since},
         {"wants_since", member->wants_since},
         {"has_read", member->has_read},
         {"paired_since", member->paired_since},
         {"gradients_at_read", member->gradients_at_read}});
  }
  json events = json::array();
  for (auto left = events_; !left.empty(); left.pop()) {
    const Event& event = left.top();
    events.push_back(
        {event.when,
         event.number,
         static_cast<int>(event.kind),
         event.worker,
         event.peer,
         static_cast<int>(event.word)});
  }
  return {
      {"now", now_},
      {"made", made_},
      {"started", started_},
      {"done", done_},
      {"words", words_},
      {"transfers", transfers_},
      {"members", members},
      {"events", events},
      {"flows", flows_.state()}};
}

void VirtualGossip::restore(const json& state) {
  const json& members = state.at("members");
  if (members.size() != members_.size()) {
    throw IoError(fmt::format(
        "the gossip was that of {} workers, not of {}",
        members.size(),
        members_.size()));
  }
  now_ = state.at("now");
  made_ = state.at("made");
  started_ = state.at("started");
  done_ = state.at("done");
  words_ = state.at("words");
  transfers_ = state.at("transfers");
  flows_.restore(state.at("flows"));
  events_ = {};
  for (const json& event : state.at("events")) {
    events_.push(
        {.when = event.at(0),
         .number = event.at(1),
         .kind = static_cast<Kind>(event.at(2).get<int>()),
         .worker = event.at(3),
         .peer = event.at(4),
         .word = static_cast<gossip::PairingKind>(event.at(5).get<int>())});
  }
  for (size_t i = 0; i < members_.size(); ++i) {
    Member& member = *members_[i];
    const json& stored = members.at(i);
    member.pairing.restore(pairing_from(stored.at("pairing")));
    const json& clock = stored.at("clock");
    member.clock = gossip::UnitClock(
        {.seconds = clock.at(0), .units = clock.at(1), .average = clock.at(2)});
    member.statistics = statistics_from(stored.at("statistics"));
    member.replica->set_flowed(stored.at("flowed"));
    member.next_gradient = stored.at("next_gradient");
    member.computes = stored.at("computes");
    member.computes_since = stored.at("computes_since");
    member.is_held = stored.at("is_held");
    member.held_since = stored.at("held_since");
    member.wants_since = stored.at("wants_since");
    member.has_read = stored.at("has_read");
    member.paired_since = stored.at("paired_since");
    member.gradients_at_read = stored.at("gradients_at_read");
    if (member.has_read) member.sent.resize(member.replica->x().size());
    if (member.computes) {
      host_.begin_gradient(static_cast<int>(i), member.next_gradient - 1);
    }
  }
}

} // namespace grapevine::sim
