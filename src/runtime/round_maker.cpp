#include "runtime/round_maker.h"

#include <algorithm>
#include <utility>

namespace grapevine::runtime {

void RoundMaker::add(const std::vector<Message>& messages) {
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
        part.seconds_per_byte = std::max(part.seconds_per_byte, load[resource]);
      }
      part.latency = std::max(part.latency, route.latency);
      part.is_inside = part.is_inside && is_inside;
    }
    peers[message.from].push_back(message.to);
    peers[message.to].push_back(message.from);
  }
  keep(std::move(parts), std::move(peers));
}

void RoundMaker::keep(
    std::vector<Exchange::Part> parts,
    std::vector<std::vector<int>> peers) {
  std::vector<Exchange::Part> round;
  for (int i = 0; i < network_.n(); ++i) {
    if (peers[i].empty()) continue;
    peers[i].push_back(i);
    std::ranges::sort(peers[i]);
    peers[i].erase(
        std::unique(peers[i].begin(), peers[i].end()),
        peers[i].end());
    parts[i].worker = i;
    parts[i].set = set_of(std::move(peers[i]));
    round.push_back(parts[i]);
  }
  exchange_.rounds.push_back(std::move(round));
}

int RoundMaker::set_of(std::vector<int> members) {
  const auto next = static_cast<int>(exchange_.sets.size());
  const auto [known, is_new] = sets_.emplace(std::move(members), next);
  if (is_new) exchange_.sets.push_back(known->first);
  return known->second;
}

} // namespace grapevine::runtime
