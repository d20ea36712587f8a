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

// A ring is as fast as the slowest of its links, and is passed 2(g-1) times.
Exchange::Part ring_part(
    const std::vector<int>& group,
    const std::vector<Exchange::Part*>& part_of) {
  Exchange::Part slowest{.is_inside = true};
  for (const int i : group) {
    const Exchange::Part& part = *part_of[i];
    slowest.seconds_per_byte =
        std::max(slowest.seconds_per_byte, part.seconds_per_byte);
    slowest.latency = std::max(slowest.latency, part.latency);
    slowest.is_inside = slowest.is_inside && part.is_inside;
  }
  const size_t hops = group.size() == 2 ? 1 : 2 * (group.size() - 1);
  slowest.latency *= static_cast<double>(hops);
  return slowest;
}

} // namespace

Exchange plan_exchange(const comm::Plan& plan, const Network& network) {
  GV_CHECK_EQ(plan.n(), network.n());
  Exchange exchange;
  exchange.n = plan.n();
  exchange.ahead = comm::kPostAhead;
  std::vector<std::vector<Message>> messages; // by round
  for (int rank = 0; rank < exchange.n; ++rank) {
    const comm::Program program = plan.program(rank);
    exchange.last.push_back(last_round(program));
    messages.resize(
        std::max(messages.size(), static_cast<size_t>(program.rounds())));
    for (const comm::Send& send : program.sends)
      messages[send.round].push_back({rank, send.peer, 1.0 / send.piece.of});
  }
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
  std::vector<Message> messages;
  for (const std::vector<int>& group : groups) {
    const size_t g = group.size();
    if (g == 1) continue;
    const double share =
        2.0 * static_cast<double>(g - 1) / static_cast<double>(g);
    for (size_t p = 0; p < g; ++p)
      messages.push_back({group[p], group[(p + 1) % g], share});
  }
  Rounds(network, exchange).add(messages);
  std::vector<Exchange::Part*> part_of(mixing.n());
  for (Exchange::Part& part : exchange.rounds[0])
    part_of[part.worker] = &part;
  exchange.sets.clear();
  for (const std::vector<int>& group : groups) {
    if (group.size() == 1) continue;
    Exchange::Part whole = ring_part(group, part_of);
    whole.set = static_cast<int>(exchange.sets.size());
    for (const int i : group) {
      whole.worker = i;
      *part_of[i] = whole;
      exchange.last[i] = 0;
    }
    exchange.sets.push_back(group);
  }
  return exchange;
}

} // namespace grapevine::runtime
