#include "sim/exchange.h"

#include "base/check.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace grapevine::sim {
namespace {

// A usual bucket: which of two messages takes longer may depend on its bytes.
constexpr double kUsualBytes = 1 << 20;
// Messages that differ by less take equally long.
constexpr double kSameShare = 1e-9;

struct Message {
  int from;
  int to;
  double share; // of the plane
};

// Makes the rounds of an exchange from their messages.
class RoundMaker {
 public:
  // Borrows both; adds rounds and sets to the exchange.
  RoundMaker(const Network& network, Exchange& exchange)
      : network_(network),
        exchange_(exchange) {}

  // The next round.
  void add(const std::vector<Message>& messages);

 private:
  // What one worker's messages of a round amount to.
  struct Traffic {
    Exchange::Part part = {.is_inside = true};
    std::vector<int> peers = {};
    double longest = -1;           // seconds of a message
    std::vector<int> slowest = {}; // the peers whose messages take that long
  };
  void keep(std::vector<Traffic> workers);
  // The worker with its peers, in any order, some perhaps twice.
  int set_of(int worker, std::vector<int> members);

  const Network& network_;
  Exchange& exchange_;
  std::map<std::vector<int>, int> sets_;
};

void RoundMaker::add(const std::vector<Message>& messages) {
  // Everybody's load on a resource counts, so it is added up first.
  std::vector<double> load(network_.resources()); // seconds a byte
  for (const Message& message : messages) {
    const auto route = network_.route(message.from, message.to);
    for (const int resource : route.resources())
      load[resource] += message.share / network_.rate(resource);
  }
  std::vector<Traffic> workers(network_.n());
  for (const Message& message : messages) {
    const auto route = network_.route(message.from, message.to);
    const bool is_inside =
        network_.node_of(message.from) == network_.node_of(message.to);
    double seconds_per_byte = 0;
    for (const int resource : route.resources())
      seconds_per_byte = std::max(seconds_per_byte, load[resource]);
    const double seconds = seconds_per_byte * kUsualBytes + route.latency;
    for (const int end : {message.from, message.to}) {
      const int peer = message.from + message.to - end;
      Traffic& worker = workers[end];
      Exchange::Part& part = worker.part;
      part.seconds_per_byte = std::max(part.seconds_per_byte, seconds_per_byte);
      part.latency = std::max(part.latency, route.latency);
      part.is_inside = part.is_inside && is_inside;
      worker.peers.push_back(peer);
      if (seconds > worker.longest * (1 + kSameShare)) worker.slowest.clear();
      if (seconds < worker.longest * (1 - kSameShare)) continue;
      worker.longest = std::max(worker.longest, seconds);
      worker.slowest.push_back(peer);
    }
  }
  keep(std::move(workers));
}

void RoundMaker::keep(std::vector<Traffic> workers) {
  std::vector<Exchange::Part> round;
  for (int i = 0; i < network_.n(); ++i) {
    Traffic& worker = workers[i];
    if (worker.peers.empty()) continue;
    worker.part.worker = i;
    worker.part.set = set_of(i, std::move(worker.peers));
    worker.part.slowest = set_of(i, std::move(worker.slowest));
    round.push_back(worker.part);
  }
  exchange_.rounds.push_back(std::move(round));
}

int RoundMaker::set_of(int worker, std::vector<int> members) {
  members.push_back(worker);
  std::ranges::sort(members);
  members.erase(std::unique(members.begin(), members.end()), members.end());
  const auto next = static_cast<int>(exchange_.sets.size());
  const auto [known, is_new] = sets_.emplace(std::move(members), next);
  if (is_new) exchange_.sets.push_back(known->first);
  return known->second;
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
plan_exchange(const mix::Plan& plan, const Network& network, bool in_place) {
  GV_CHECK_EQ(plan.n(), network.n());
  Exchange exchange;
  exchange.n = plan.n();
  std::vector<std::vector<Message>> messages; // by round
  std::vector<int> due;                       // by round, the latest
  for (int rank = 0; rank < exchange.n; ++rank) {
    const mix::Program program = plan.program(rank);
    exchange.last.push_back(completion_round(program));
    messages.resize(
        std::max(messages.size(), static_cast<size_t>(program.rounds())));
    due.resize(messages.size());
    int seen = -1; // sends of one round leave alike
    for (const mix::Send& send : program.sends) {
      messages[send.round].push_back({rank, send.peer, 1.0 / send.piece.of});
      if (send.round == 0 || send.round == seen) continue;
      seen = send.round;
      due[seen] = std::max(due[seen], posting_round(program, send));
    }
  }
  for (int round = 0; round < static_cast<int>(due.size()); ++round)
    exchange.ahead.push_back(round - due[round]);
  if (!messages.empty()) {
    const bool keeps_more = !in_place && messages.size() == 1;
    exchange.ahead[0] = mix::kPostAhead + (keeps_more ? 1 : 0);
  }
  RoundMaker rounds(network, exchange);
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
