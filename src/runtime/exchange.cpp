#include "runtime/exchange.h"

#include "base/check.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace grapevine::runtime {
namespace {

struct Message {
  int from;
  int to;
  double share; // of the plane
};

// Makes the parts of a round from its messages.
class Rounds {
 public:
  Rounds(const Network& network, Exchange& exchange)
      : network_(network),
        exchange_(exchange) {}

  void add(const std::vector<Message>& messages) {
    // Everybody's load on a resource counts, so it is added up first.
    std::vector<double> load(network_.resources()); // seconds a byte
    for (const Message& message : messages) {
      const auto route = network_.route(message.from, message.to);
      for (const int resource : route.resources())
        load[resource] += message.share / network_.rate(resource);
    }
    std::vector<Exchange::Part> parts(network_.n(), {.is_inside = true});
    std::vector<std::vector<int>> peers(network_.n());
    for (const Message& message : messages) {
      const auto route = network_.route(message.from, message.to);
      const bool is_inside =
          network_.node_of(message.from) == network_.node_of(message.to);
      for (const int end : {message.from, message.to}) {
        Exchange::Part& part = parts[end];
        for (const int resource : route.resources()) {
          part.seconds_per_byte =
              std::max(part.seconds_per_byte, load[resource]);
        }
        part.latency = std::max(part.latency, route.latency);
        part.is_inside = part.is_inside && is_inside;
      }
      peers[message.from].push_back(message.to);
      peers[message.to].push_back(message.from);
    }
    keep(std::move(parts), std::move(peers));
  }

 private:
  void keep(
      std::vector<Exchange::Part> parts,
      std::vector<std::vector<int>> peers) {
    std::vector<Exchange::Part> round;
    for (int i = 0; i < network_.n(); ++i) {
      if (peers[i].empty()) continue;
      peers[i].push_back(i);
      std::ranges::sort(peers[i]);
      peers[i].erase(std::ranges::unique(peers[i]).begin(), peers[i].end());
      parts[i].worker = i;
      parts[i].set = set_of(std::move(peers[i]));
      round.push_back(parts[i]);
    }
    exchange_.rounds.push_back(std::move(round));
  }

  int set_of(std::vector<int> members) {
    const auto next = static_cast<int>(exchange_.sets.size());
    const auto [known, is_new] = sets_.emplace(std::move(members), next);
    if (is_new) exchange_.sets.push_back(known->first);
    return known->second;
  }

  const Network& network_;
  Exchange& exchange_;
  std::map<std::vector<int>, int> sets_;
};

// As comm/mix_executor.cpp decides when a chunk is handed over.
int last_round(const comm::Program& program) {
  int last = -1;
  for (const comm::Send& send : program.sends) {
    if (send.slot == comm::kResult) last = std::max(last, send.round + 1);
    if (send.slot == comm::kValue) last = std::max(last, send.round);
  }
  for (const comm::Receive& receive : program.receives)
    last = std::max(last, receive.round);
  for (const comm::Combine& combine : program.combines)
    last = std::max(last, combine.round);
  return last;
}

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

Exchange
plan_exchange(const comm::Plan& plan, const Network& network, bool in_place) {
  GV_CHECK_EQ(plan.n(), network.n());
  Exchange exchange;
  exchange.n = plan.n();
  std::vector<std::vector<Message>> messages; // by round
  for (int rank = 0; rank < exchange.n; ++rank) {
    const comm::Program program = plan.program(rank);
    exchange.last.push_back(last_round(program));
    messages.resize(
        std::max(messages.size(), static_cast<size_t>(program.rounds())));
    for (const comm::Send& send : program.sends)
      messages[send.round].push_back({rank, send.peer, 1.0 / send.piece.of});
  }
  exchange.ahead = comm::kPostAhead;
  if (!in_place && messages.size() == 1) ++exchange.ahead;
  Rounds rounds(network, exchange);
  for (auto& round : messages) {
    rounds.add(round);
    round = {};
  }
  return exchange;
}

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
  Rounds(network, exchange).add(messages);
  std::vector<Exchange::Part*> part_of(mixing.n());
  for (Exchange::Part& part : exchange.rounds[0])
    part_of[part.worker] = &part;
  exchange.sets.clear();
  for (size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].size() == 1) continue;
    Exchange::Part whole = ring_part(groups[g], rings[g], network, part_of);
    whole.set = static_cast<int>(exchange.sets.size());
    for (const int i : groups[g]) {
      whole.worker = i;
      *part_of[i] = whole;
      exchange.last[i] = 0;
    }
    exchange.sets.push_back(groups[g]);
  }
  return exchange;
}

} // namespace grapevine::runtime
