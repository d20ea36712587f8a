#include "sim/flows.h"

#include "base/check.h"
#include "base/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace grapevine::sim {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

} // namespace

Flows::Flows(std::vector<double> rates)
    : rates_(std::move(rates)),
      passing_(rates_.size()) {}

void Flows::begin(int name, double bytes, std::vector<int> ways, double now) {
  GV_CHECK(!flows_.contains(name));
  // Those without a limit hold nobody up.
  std::erase_if(ways, [&](int way) { return rates_[way] == kInfinity; });
  enlist(name, ways);
  const auto& flow = flows_
                         .insert(
                             {name,
                              {.bytes = bytes,
                               .since = now,
                               .end = kInfinity,
                               .ways = std::move(ways)}})
                         .first->second;
  ends_.insert({flow.end, name});
  std::vector<int> names = connected(flow.ways);
  if (names.empty()) names = {name};
  settle(names, now);
}

double Flows::next_end() const {
  return ends_.empty() ? kInfinity : ends_.begin()->first;
}

int Flows::end_next() {
  const auto [now, name] = *ends_.begin();
  ends_.erase(ends_.begin());
  const Flow flow = std::move(flows_.at(name));
  flows_.erase(name);
  strike(name, flow.ways);
  settle(connected(flow.ways), now);
  return name;
}

void Flows::enlist(int name, const std::vector<int>& ways) {
  for (const int way : ways)
    passing_[way].insert(name);
}

void Flows::strike(int name, const std::vector<int>& ways) {
  for (const int way : ways)
    passing_[way].erase(name);
}

std::vector<int> Flows::connected(const std::vector<int>& ways) const {
  std::set<int> found;
  std::set<int> seen(ways.begin(), ways.end());
  std::vector<int> open(ways);
  while (!open.empty()) {
    const int way = open.back();
    open.pop_back();
    for (const int name : passing_[way]) {
      if (!found.insert(name).second) continue;
      for (const int next : flows_.at(name).ways) {
        if (seen.insert(next).second) open.push_back(next);
      }
    }
  }
  return {found.begin(), found.end()};
}

void Flows::settle(const std::vector<int>& names, double now) {
  struct Way {
    double left = 0; // of its rate
    int uses = 0;    // by flows whose rate is open
  };
  std::map<int, Way> ways;
  for (const int name : names) {
    for (const int way : flows_.at(name).ways)
      ++ways.try_emplace(way, Way{.left = rates_[way]}).first->second.uses;
  }
  std::set<int> open(names.begin(), names.end());
  std::map<int, double> rates;
  const auto settle_one = [&](int name, double rate) {
    rates[name] = rate;
    open.erase(name);
    for (const int way : flows_.at(name).ways) {
      ways[way].left -= rate;
      --ways[way].uses;
    }
  };
  while (!open.empty()) {
    int fullest = -1;
    double share = kInfinity;
    for (const auto& [id, way] : ways) {
      if (way.uses == 0 || way.left / way.uses >= share) continue;
      share = way.left / way.uses;
      fullest = id;
    }
    const std::set<int> now_settled =
        fullest < 0
            ? open
            : std::set<int>(passing_[fullest].begin(), passing_[fullest].end());
    for (const int name : now_settled) {
      if (open.contains(name)) settle_one(name, share);
    }
  }
  for (const auto& [name, rate] : rates) {
    Flow& flow = flows_.at(name);
    // One whose rate stays keeps its end to the bit.
    if (flow.rate == rate) continue;
    if (flow.rate > 0) flow.bytes -= flow.rate * (now - flow.since);
    flow.bytes = std::max(flow.bytes, 0.0);
    flow.since = now;
    flow.rate = rate;
    ends_.erase({flow.end, name});
    flow.end = now + flow.bytes / rate;
    ends_.insert({flow.end, name});
  }
}

nlohmann::json Flows::state() const {
  nlohmann::json state = nlohmann::json::array();
  for (const auto& [name, flow] : flows_) {
    // A rate without a limit has no number in JSON.
    state.push_back(
        {name, flow.bytes, flow.since, flow.rate, flow.end, flow.ways});
  }
  return state;
}

void Flows::restore(const nlohmann::json& state) {
  flows_.clear();
  ends_.clear();
  passing_.assign(rates_.size(), {});
  for (const nlohmann::json& stored : state) {
    const int name = stored.at(0);
    Flow flow{
        .bytes = stored.at(1),
        .since = stored.at(2),
        .rate = stored.at(3).is_null() ? kInfinity : stored.at(3).get<double>(),
        .end = stored.at(4),
        .ways = stored.at(5)};
    for (const int way : flow.ways) {
      if (way < 0 || way >= static_cast<int>(rates_.size())) {
        throw IoError(fmt::format("a flow passes way {}, which is none", way));
      }
    }
    ends_.insert({flow.end, name});
    enlist(name, flow.ways);
    flows_.insert({name, std::move(flow)});
  }
}

} // namespace grapevine::sim
