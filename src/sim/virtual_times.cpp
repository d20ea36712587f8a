#include "sim/virtual_times.h"

#include <algorithm>
#include <memory>

namespace grapevine::sim {

VirtualTimes times_on(
    const Costs& costs,
    const ModelOptions& options,
    double replica_bytes) {
  const auto network =
      std::make_shared<Network>(costs, options.n, options.workers_per_node);
  const auto compute = std::make_shared<ComputeTimes>(
      costs.compute,
      options.n,
      options.seed,
      options.slow);
  const double update = costs.compute.update_seconds_per_byte * replica_bytes;
  const auto latency = [network](int from, int to) {
    return network->route(from, to).latency;
  };
  return {
      .gradient =
          [compute, update](int worker, int64_t number) {
            return compute->seconds(worker, number) + update;
          },
      .word = latency,
      .transfer = [latency](
                      int a,
                      int b) { return std::max(latency(a, b), latency(b, a)); },
      .ways =
          [network](int a, int b) {
            std::vector<int> both;
            for (const auto& route :
                 {network->route(a, b), network->route(b, a)})
              std::ranges::copy(route.resources(), std::back_inserter(both));
            return both;
          },
      .way_rates = network->rates(),
      .replica_bytes = replica_bytes};
}

} // namespace grapevine::sim
