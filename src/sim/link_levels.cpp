#include "sim/measure_links.h"
#include "sim/median.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace grapevine::sim {
namespace {

using Links = std::vector<LinkMeasurement>;

constexpr double kDiffers = 2;
constexpr double kLatencyNoise = 100e-6;
constexpr size_t kMany = 3;

class Levels {
 public:
  Levels(const Links& links, int workers_per_node)
      : links_(links),
        per_node_(workers_per_node) {}

  std::optional<Level> level(bool inside) const {
    const auto latency =
        median(column(inside, [](const auto& link) { return link.latency; }));
    if (!latency) return std::nullopt;
    Level level{.latency = *latency};
    const auto together = median(bandwidths(inside, false));
    const auto alone = median(bandwidths(inside, true));
    level.bandwidth = alone.value_or(together.value_or(kUnlimited));
    // All workers of a node at once, each with a partner: what they had
    // together. It cannot be less than one has.
    if (together) {
      level.bandwidth = std::max(level.bandwidth, *together);
      level.shared = *together * per_node_;
    }
    return level;
  }

  // Between nodes, by node.
  std::map<int, double> node_bandwidth() const {
    std::map<int, std::vector<double>> lists;
    for (const LinkMeasurement& link : links_) {
      if (is_inside(link) || link.alone) continue;
      lists[link.a / per_node_].push_back(link.bandwidth);
      lists[link.b / per_node_].push_back(link.bandwidth);
    }
    std::map<int, double> rates;
    for (auto& [node, list] : lists)
      rates[node] = *median(std::move(list));
    return rates;
  }

  bool is_inside(const LinkMeasurement& link) const {
    return link.a / per_node_ == link.b / per_node_;
  }

  // Enough others to differ from.
  bool has_many(bool inside) const {
    return bandwidths(inside, false).size() >= kMany;
  }

 private:
  std::vector<double> column(
      bool inside,
      const std::function<double(const LinkMeasurement&)>& value) const {
    std::vector<double> list;
    for (const LinkMeasurement& link : links_) {
      if (is_inside(link) == inside) list.push_back(value(link));
    }
    return list;
  }

  std::vector<double> bandwidths(bool inside, bool alone) const {
    std::vector<double> list;
    for (const LinkMeasurement& link : links_) {
      if (is_inside(link) == inside && link.alone == alone) {
        list.push_back(link.bandwidth);
      }
    }
    return list;
  }

  const Links& links_;
  int per_node_;
};

std::vector<NodeRate> slow_nodes(
    const std::map<int, double>& nodes,
    int workers_per_node) {
  std::vector<double> all;
  for (const auto& [node, rate] : nodes)
    all.push_back(rate);
  // Of two nodes nobody can say which one it is.
  if (nodes.size() < kMany) return {};
  const double usual = *median(all);
  std::vector<NodeRate> slow;
  for (const auto& [node, rate] : nodes) {
    if (rate * kDiffers >= usual) continue;
    slow.push_back({.node = node, .shared = rate * workers_per_node});
  }
  return slow;
}

bool differs(
    const LinkMeasurement& link,
    const Level& level,
    int workers_per_node) {
  const double together = level.shared / workers_per_node;
  return link.bandwidth * kDiffers < together ||
         link.latency > kDiffers * level.latency + kLatencyNoise;
}

} // namespace

void add_links(Costs& costs, const Links& links, int n, int workers_per_node) {
  costs.nodes = (n + workers_per_node - 1) / workers_per_node;
  costs.workers_per_node = workers_per_node;
  const Levels levels(links, workers_per_node);
  costs.inside = levels.level(true);
  costs.between = levels.level(false);
  costs.node_rates = slow_nodes(levels.node_bandwidth(), workers_per_node);
  std::set<int> slow;
  for (const NodeRate& node : costs.node_rates)
    slow.insert(node.node);
  for (const LinkMeasurement& link : links) {
    const bool is_inside = levels.is_inside(link);
    if (!levels.has_many(is_inside)) continue;
    const auto& level = is_inside ? costs.inside : costs.between;
    const bool has_slow_end = slow.count(link.a / workers_per_node) > 0 ||
                              slow.count(link.b / workers_per_node) > 0;
    if (link.alone || has_slow_end) continue;
    if (!differs(link, *level, workers_per_node)) continue;
    costs.link_rates.push_back(
        {.a = link.a,
         .b = link.b,
         .latency = link.latency,
         .bandwidth = link.bandwidth});
  }
}

} // namespace grapevine::sim
