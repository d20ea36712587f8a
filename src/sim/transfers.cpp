#include "sim/transfers.h"

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

Transfers::Transfers(std::vector<double> rates)
    : rates_(std::move(rates)),
      fair_(rates_),
      passing_(rates_.size()) {}

void Transfers::add(int name, Transfer transfer) {
  for (const int resource : transfer.resources)
    passing_[resource].insert(name);
  ends_.insert({transfer.end, name});
  transfers_.insert({name, std::move(transfer)});
}

void Transfers::begin(
    int name,
    double bytes,
    std::vector<int> resources,
    double now) {
  GV_CHECK(!transfers_.contains(name));
  // Those without a limit hold nobody up.
  std::erase_if(resources, [&](int id) { return rates_[id] == kInfinity; });
  std::vector<int> names = {name};
  add(name,
      {.bytes = bytes, .since = now, .end = kInfinity, .resources = resources});
  if (!resources.empty()) names = connected(resources);
  set_rates(names, now);
}

double Transfers::next_end() const {
  return ends_.empty() ? kInfinity : ends_.begin()->first;
}

int Transfers::end_next() {
  const auto [now, name] = *ends_.begin();
  ends_.erase(ends_.begin());
  const auto ended = transfers_.extract(name);
  const std::vector<int>& resources = ended.mapped().resources;
  for (const int resource : resources)
    passing_[resource].erase(name);
  set_rates(connected(resources), now);
  return name;
}

std::vector<int> Transfers::connected(const std::vector<int>& resources) const {
  std::set<int> found;
  std::set<int> seen(resources.begin(), resources.end());
  std::vector<int> open(resources);
  while (!open.empty()) {
    const int resource = open.back();
    open.pop_back();
    for (const int name : passing_[resource]) {
      if (!found.insert(name).second) continue;
      for (const int next : transfers_.at(name).resources) {
        if (seen.insert(next).second) open.push_back(next);
      }
    }
  }
  return {found.begin(), found.end()};
}

void Transfers::set_rates(const std::vector<int>& names, double now) {
  std::vector<MaxMinFair::Flow> flows;
  for (const int name : names)
    flows.push_back({.resources = transfers_.at(name).resources});
  fair_.share(flows);
  for (size_t i = 0; i < names.size(); ++i) {
    Transfer& transfer = transfers_.at(names[i]);
    const double rate = flows[i].rate;
    // One whose rate stays keeps its end to the bit.
    if (transfer.rate == rate) continue;
    if (transfer.rate > 0) {
      transfer.bytes -= transfer.rate * (now - transfer.since);
    }
    transfer.bytes = std::max(transfer.bytes, 0.0);
    transfer.since = now;
    transfer.rate = rate;
    ends_.erase({transfer.end, names[i]});
    transfer.end = now + transfer.bytes / rate;
    ends_.insert({transfer.end, names[i]});
  }
}

nlohmann::json Transfers::state() const {
  nlohmann::json state = nlohmann::json::array();
  for (const auto& [name, it] : transfers_) {
    // A rate without a limit has no number in JSON.
    state.push_back({name, it.bytes, it.since, it.rate, it.end, it.resources});
  }
  return state;
}

void Transfers::restore(const nlohmann::json& state) {
  transfers_.clear();
  ends_.clear();
  passing_.assign(rates_.size(), {});
  for (const nlohmann::json& stored : state) {
    Transfer transfer{
        .bytes = stored.at(1),
        .since = stored.at(2),
        .rate = stored.at(3).is_null() ? kInfinity : stored.at(3).get<double>(),
        .end = stored.at(4),
        .resources = stored.at(5)};
    for (const int resource : transfer.resources) {
      if (resource < 0 || resource >= std::ssize(rates_)) {
        throw IoError(fmt::format(
            "a transfer passes resource {}, which does not exist",
            resource));
      }
    }
    add(stored.at(0), std::move(transfer));
  }
}

} // namespace grapevine::sim
