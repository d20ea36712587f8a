#include "train/gossip_times.h"

#include "base/random.h"
#include "runtime/compute_times.h"
#include "runtime/network.h"
#include "spec/spec_table.h"
#include "train/virtual_clock.h"
#include "transport/link_options.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace grapevine::train {
namespace {

GossipTimes without_a_clock(uint64_t seed) {
  const auto gradient = [seed](int worker, int64_t number) {
    Random random(seed, Purpose::kCompute, worker, number);
    return std::clamp(1 + 0.1 * random.normal(), 0.5, 1.5);
  };
  const auto nothing = [](int, int) { return 0.0; };
  return {.gradient = gradient, .word = nothing, .transfer = nothing};
}

// There and back.
std::vector<int> ways_of(const runtime::Network& network, int a, int b) {
  std::vector<int> ways;
  for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
    const runtime::Network::Route route = network.route(from, to);
    const auto resources = route.resources();
    ways.insert(ways.end(), resources.begin(), resources.end());
  }
  return ways;
}

} // namespace

GossipTimes make_gossip_times(
    const spec::Spec& spec,
    const arena::Layout& layout) {
  if (!spec::has_virtual_clock(spec)) return without_a_clock(spec.seed);
  const runtime::Costs costs = described_costs(spec, layout);
  const auto network = std::make_shared<runtime::Network>(
      costs,
      spec.n,
      described_workers_per_node(spec, costs));
  const auto compute = std::make_shared<runtime::ComputeTimes>(
      costs.compute,
      spec.n,
      spec.seed,
      transport::parse_slow(spec.slow));
  const auto bytes =
      static_cast<double>(layout.size()) * static_cast<double>(sizeof(float));
  const double update = costs.compute.update_seconds_per_byte * bytes;
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
      .replica_bytes = bytes};
}

} // namespace grapevine::train
