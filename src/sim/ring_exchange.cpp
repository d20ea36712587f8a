#include "base/check.h"
#include "sim/round_maker.h"

#include <algorithm>
#include <numeric>

namespace grapevine::sim {
namespace {

std::vector<std::vector<int>> groups_of(const graph::Mixing& mixing) {
  if (mixing.form() == graph::Mixing::Form::kComplete) {
    std::vector<int> all(mixing.n());
    std::iota(all.begin(), all.end(), 0);
    return {all};
  }
  GV_CHECK(mixing.form() == graph::Mixing::Form::kGroups);
  return mixing.group_list();
}

// One group's two rings: inside each node, and across the nodes.
struct GroupRings {
  std::vector<Message> messages;
  int inside_hops = 0;
  int between_hops = 0;
};

int hops(size_t members) {
  return static_cast<int>(members == 2 ? 1 : 2 * (members - 1));
}

double ring_share(size_t members) {
  return 2.0 * static_cast<double>(members - 1) / static_cast<double>(members);
}

// By node; ranks ascend, so nodes do.
std::vector<std::vector<int>> by_node(
    const std::vector<int>& group,
    const Network& network) {
  std::vector<std::vector<int>> nodes;
  for (const int rank : group) {
    const bool is_new = nodes.empty() || network.node_of(nodes.back()[0]) !=
                                             network.node_of(rank);
    if (is_new) nodes.emplace_back();
    nodes.back().push_back(rank);
  }
  return nodes;
}

GroupRings group_rings(const std::vector<int>& group, const Network& network) {
  const auto nodes = by_node(group, network);
  const size_t m = nodes.size();
  GroupRings rings;
  rings.between_hops = m > 1 ? hops(m) : 0;
  for (size_t node = 0; node < m; ++node) {
    const std::vector<int>& mine = nodes[node];
    const std::vector<int>& next = nodes[(node + 1) % m];
    const size_t l = mine.size();
    if (l > 1) rings.inside_hops = std::max(rings.inside_hops, hops(l));
    for (size_t p = 0; p < l; ++p) {
      if (l > 1) {
        rings.messages.push_back({mine[p], mine[(p + 1) % l], ring_share(l)});
      }
      // Every member takes its piece of the plane across.
      if (m > 1) {
        rings.messages.push_back(
            {mine[p],
             next[p % next.size()],
             ring_share(m) / static_cast<double>(l)});
      }
    }
  }
  return rings;
}

// The whole group is as fast as the slowest of its links.
Exchange::Part ring_part(
    const std::vector<int>& group,
    const GroupRings& rings,
    const Network& network,
    const std::vector<Exchange::Part*>& part_of) {
  Exchange::Part slowest{.is_inside = rings.between_hops == 0};
  for (const int i : group) {
    slowest.seconds_per_byte =
        std::max(slowest.seconds_per_byte, part_of[i]->seconds_per_byte);
  }
  double inside = 0;
  double between = 0;
  for (const Message& it : rings.messages) {
    const bool is_inside = network.node_of(it.from) == network.node_of(it.to);
    double& longest = is_inside ? inside : between;
    longest = std::max(longest, network.route(it.from, it.to).latency);
  }
  slowest.latency = rings.inside_hops * inside + rings.between_hops * between;
  return slowest;
}

} // namespace

Exchange ring_exchange(const graph::Mixing& mixing, const Network& network) {
  Exchange exchange;
  exchange.n = mixing.n();
  exchange.last.assign(mixing.n(), -1);
  const auto groups = groups_of(mixing);
  std::vector<GroupRings> rings;
  std::vector<Message> messages;
  for (const std::vector<int>& group : groups) {
    rings.push_back(group_rings(group, network));
    const auto& own = rings.back().messages;
    messages.insert(messages.end(), own.begin(), own.end());
  }
  RoundMaker(network, exchange).add(messages);
  exchange.ahead = {0};
  std::vector<Exchange::Part*> part_of(mixing.n());
  for (Exchange::Part& part : exchange.rounds[0])
    part_of[part.worker] = &part;
  exchange.sets.clear();
  for (size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].size() == 1) continue;
    Exchange::Part whole = ring_part(groups[g], rings[g], network, part_of);
    whole.set = static_cast<int>(exchange.sets.size());
    whole.slowest = whole.set;
    for (const int i : groups[g]) {
      whole.worker = i;
      *part_of[i] = whole;
      exchange.last[i] = 0;
    }
    exchange.sets.push_back(groups[g]);
  }
  return exchange;
}

} // namespace grapevine::sim
