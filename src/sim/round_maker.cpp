#include "sim/round_maker.h"

#include <algorithm>
#include <utility>

namespace grapevine::sim {
namespace {

// A usual bucket: which of two messages takes longer may depend on its bytes.
constexpr double kUsualBytes = 1 << 20;
// Messages that differ by less take equally long.
constexpr double kSameTime = 1e-9;

} // namespace

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
      if (seconds > worker.longest * (1 + kSameTime)) worker.slowest.clear();
      if (seconds < worker.longest * (1 - kSameTime)) continue;
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

} // namespace grapevine::sim
