#include "train/gossip_times.h"

#include "base/random.h"
#include "runtime/compute_times.h"
#include "runtime/network.h"
#include "spec/spec_table.h"
#include "train/virtual_clock.h"
#include "transport/link_options.h"

#include <algorithm>
#include <memory>

namespace grapevine::train {
namespace {

GossipTimes without_a_clock(uint64_t seed) {
  const auto gradient = [seed](int worker, int64_t number) {
    Random random(seed, Purpose::kCompute, worker, number);
    return std::clamp(1 + 0.1 * random.normal(), 0.5, 1.5);
  };
  const auto nothing = [](int, int) { return 0.0; };
  return {gradient, nothing, nothing};
}

double
way_seconds(const runtime::Network& network, int from, int to, double bytes) {
  const runtime::Network::Route route = network.route(from, to);
  double seconds = 0;
  for (const int resource : route.resources())
    seconds = std::max(seconds, bytes / network.rate(resource));
  return seconds + route.latency;
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
          [network, bytes](int a, int b) {
            return std::max(
                way_seconds(*network, a, b, bytes),
                way_seconds(*network, b, a, bytes));
          }};
}

} // namespace grapevine::train
