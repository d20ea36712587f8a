// The state of a virtual run between two events, as JSON. Each structure lists
// its keys once, for writing and for reading.
#include "base/error.h"
#include "sim/virtual_gossip.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <optional>

template <>
struct nlohmann::adl_serializer<std::optional<int>> {
  static void to_json(json& json, const std::optional<int>& value) {
    json = value ? nlohmann::json(*value) : nlohmann::json(nullptr);
  }
  static void from_json(const json& json, std::optional<int>& value) {
    value = json.is_null() ? std::nullopt : std::optional(json.get<int>());
  }
};

namespace grapevine::gossip {

// With defaults, since states of older versions lack the newer keys.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(
    Pairing::State,
    wanted,
    partner,
    asked,
    owed,
    kept,
    refused,
    soon,
    last,
    wants_in_pair,
    patience,
    refusals,
    paying,
    draws,
    stopped)

// But for pairs.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(
    Statistics,
    gradients,
    averagings,
    staleness,
    staleness_most,
    wait_seconds,
    wait_most,
    pair_seconds,
    held_seconds)

} // namespace grapevine::gossip

namespace grapevine::sim {
namespace {

using nlohmann::json;

json statistics_json(const gossip::Statistics& statistics) {
  json stored = statistics;
  json& pairs = stored["pairs"] = json::array();
  for (const auto& [peer, pair] : statistics.pairs)
    pairs.push_back({peer, pair.averagings, pair.seconds});
  return stored;
}

gossip::Statistics statistics_from(const json& stored) {
  auto statistics = stored.get<gossip::Statistics>();
  for (const json& pair : stored.value("pairs", json::array()))
    statistics.pairs[pair.at(0)] = {pair.at(1), pair.at(2)};
  return statistics;
}

} // namespace

template <typename Some, typename Visit>
void VirtualGossip::visit_scalars(Some& member, const Visit& visit) {
  visit("next_gradient", member.next_gradient);
  visit("computes", member.computes);
  visit("computes_since", member.computes_since);
  visit("is_held", member.is_held);
  visit("held_since", member.held_since);
  visit("wants_since", member.wants_since);
  visit("has_read", member.has_read);
  visit("paired_since", member.paired_since);
  visit("gradients_at_read", member.gradients_at_read);
}

json VirtualGossip::state() const {
  json members = json::array();
  for (const Member& member : members_) {
    const gossip::UnitClock::State& clock = member.clock.state();
    json& stored = members.emplace_back(json{
        {"pairing", member.pairing.state()},
        {"clock", {clock.seconds, clock.units, clock.average}},
        {"statistics", statistics_json(member.statistics)},
        {"flowed", member.replica->flowed()}});
    visit_scalars(member, [&](const char* key, const auto& value) {
      stored[key] = value;
    });
  }
  json events = json::array();
  for (auto left = events_; !left.empty(); left.pop()) {
    const Event& event = left.top();
    events.push_back(
        {event.when,
         event.number,
         event.kind,
         event.worker,
         event.peer,
         event.word});
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
      {"flows", moving_.state()}};
}

void VirtualGossip::restore(const json& state) {
  const json& members = state.at("members");
  if (members.size() != members_.size()) {
    throw IoError(fmt::format(
        "the state is of {} workers, and the run has {}",
        members.size(),
        members_.size()));
  }
  now_ = state.at("now");
  made_ = state.at("made");
  started_ = state.at("started");
  done_ = state.at("done");
  words_ = state.at("words");
  transfers_ = state.at("transfers");
  moving_.restore(state.at("flows"));
  events_ = {};
  for (const json& event : state.at("events")) {
    events_.push(
        {.when = event.at(0),
         .number = event.at(1),
         .kind = event.at(2),
         .worker = event.at(3),
         .peer = event.at(4),
         .word = event.at(5)});
  }
  for (size_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    const json& stored = members.at(i);
    member.pairing.restore(stored.at("pairing"));
    const json& clock = stored.at("clock");
    member.clock = gossip::UnitClock(
        {.seconds = clock.at(0), .units = clock.at(1), .average = clock.at(2)});
    member.statistics = statistics_from(stored.at("statistics"));
    member.replica->set_flowed(stored.at("flowed"));
    visit_scalars(member, [&](const char* key, auto& value) {
      stored.at(key).get_to(value);
    });
    if (member.has_read) member.sent.resize(member.replica->x().size());
    if (member.computes) {
      host_.begin_gradient(static_cast<int>(i), member.next_gradient - 1);
    }
  }
}

} // namespace grapevine::sim
