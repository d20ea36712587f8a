#include "sim/network.h"

#include "base/check.h"
#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace grapevine::sim {

Network::Network(const Costs& costs, int n, int workers_per_node)
    : n_(n),
      workers_per_node_(std::min(workers_per_node, n)),
      inside_(costs.inside.value_or(Level{})),
      between_(costs.between.value_or(Level{})) {
  GV_CHECK(n >= 1 && workers_per_node >= 1);
  if (n > 1 && !costs.between && !costs.inside) {
    throw ConfigError(
        "no links were measured, as by one process alone; give --link");
  }
  if (n > workers_per_node_ && !costs.between) {
    throw ConfigError(fmt::format(
        "{} workers at {} a node need links between nodes, and none were "
        "measured; give --link, or --workers-per-node {} for one node",
        n,
        workers_per_node_,
        n));
  }
  if (workers_per_node_ > 1 && !costs.inside) {
    throw ConfigError(fmt::format(
        "{} workers a node need links inside a node, and none were measured; "
        "give --workers-per-node 1",
        workers_per_node_));
  }
  const int nodes = node_of(n - 1) + 1;
  rates_.assign(n * kWorkerWays + nodes * kNodeWays, kUnlimited);
  for (int rank = 0; rank < n; ++rank) {
    rates_[worker_way(rank, kInsideOut)] = inside_.bandwidth;
    rates_[worker_way(rank, kInsideIn)] = inside_.bandwidth;
    rates_[worker_way(rank, kOut)] = between_.bandwidth;
    rates_[worker_way(rank, kIn)] = between_.bandwidth;
  }
  for (int node = 0; node < nodes; ++node) {
    rates_[node_way(node, kNodeInside)] = inside_.shared;
    rates_[node_way(node, kNodeOut)] = between_.shared;
    rates_[node_way(node, kNodeIn)] = between_.shared;
  }
  for (const NodeRate& node : costs.node_rates) {
    if (node.node >= nodes) continue;
    rates_[node_way(node.node, kNodeOut)] = node.shared;
    rates_[node_way(node.node, kNodeIn)] = node.shared;
  }
  for (const LinkRate& link : costs.link_rates)
    add_link(link);
}

void Network::add_link(const LinkRate& link) {
  if (link.a >= n_ || link.b >= n_) return;
  for (const auto& pair :
       {std::pair{link.a, link.b}, std::pair{link.b, link.a}}) {
    pairs_[pair] = {.resource = resources(), .latency = link.latency};
    rates_.push_back(link.bandwidth);
  }
}

Network::Route Network::route(int from, int to) const {
  const int here = node_of(from);
  const int there = node_of(to);
  Route route{};
  const auto pass = [&](int resource) { route.ids[route.count++] = resource; };
  if (here == there) {
    route.latency = inside_.latency;
    pass(worker_way(from, kInsideOut));
    pass(node_way(here, kNodeInside));
    pass(worker_way(to, kInsideIn));
  } else {
    route.latency = between_.latency;
    pass(worker_way(from, kOut));
    pass(node_way(here, kNodeOut));
    pass(node_way(there, kNodeIn));
    pass(worker_way(to, kIn));
  }
  if (const auto pair = pairs_.find({from, to}); pair != pairs_.end()) {
    route.latency = pair->second.latency;
    pass(pair->second.resource);
  }
  return route;
}

std::optional<double> Network::times_as_fast(const Network& other) const {
  const bool is_alike =
      n_ == other.n_ && workers_per_node_ == other.workers_per_node_ &&
      inside_.latency == other.inside_.latency &&
      between_.latency == other.between_.latency && pairs_ == other.pairs_;
  if (!is_alike) return std::nullopt;
  constexpr double kRounding = 1e-12;
  std::optional<double> factor;
  for (size_t i = 0; i < rates_.size(); ++i) {
    if (rates_[i] == other.rates_[i] && rates_[i] == kUnlimited) continue;
    const double own = rates_[i] / other.rates_[i];
    if (!(own > 0)) return std::nullopt; // of an unlimited one
    if (!factor) factor = own;
    // Written so that what is no number is refused, too.
    if (!(std::abs(own - *factor) <= kRounding * own)) return std::nullopt;
  }
  return factor.value_or(1);
}

} // namespace grapevine::sim
