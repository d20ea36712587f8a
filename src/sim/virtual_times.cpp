#include "sim/virtual_times.h"

#include "sim/compute_times.h"
#include "sim/network.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace grapevine::sim {
namespace {

// There and back.
std::vector<int> ways_of(const Network& network, int a, int b) {
  std::vector<int> ways;
  for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
    const Network::Route route = network.route(from, to);
    const auto resources = route.resources();
    ways.insert(ways.end(), resources.begin(), resources.end());
  }
  return ways;
}

} // namespace

VirtualTimes times_on(const Costs& costs, const TimedCluster& cluster) {
  const auto network =
      std::make_shared<Network>(costs, cluster.n, cluster.workers_per_node);
  const auto compute = std::make_shared<ComputeTimes>(
      costs.compute,
      cluster.n,
      cluster.seed,
      cluster.slow);
  const double update =
      costs.compute.update_seconds_per_byte * cluster.replica_bytes;
  return {
      .gradient =
          [compute, update](int worker, int64_t number) {
            return compute->seconds(worker, number) + update;
          },
      .word = [network](
                  int from,
                  int to) { return network->route(from, to).latency; },
      .transfer =
          [network](int a, int b) {
            return std::max(
                network->route(a, b).latency,
                network->route(b, a).latency);
          },
      .ways = [network](int a, int b) { return ways_of(*network, a, b); },
      .way_rates = network->rates(),
      .replica_bytes = cluster.replica_bytes};
}

} // namespace grapevine::sim
