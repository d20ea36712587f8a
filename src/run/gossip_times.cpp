#include "run/gossip_times.h"

#include "base/random.h"
#include "run/virtual_clock.h"
#include "spec/spec_table.h"

#include <algorithm>

namespace grapevine::run {
namespace {

sim::VirtualTimes without_a_clock(uint64_t seed) {
  const auto gradient = [seed](int worker, int64_t number) {
    Random random(seed, Purpose::kCompute, worker, number);
    return std::clamp(1 + 0.1 * random.normal(), 0.5, 1.5);
  };
  const auto nothing = [](int, int) { return 0.0; };
  return {.gradient = gradient, .word = nothing, .transfer = nothing};
}

} // namespace

sim::VirtualTimes make_gossip_times(
    const spec::Spec& spec,
    const tensor::Layout& layout) {
  if (!spec::has_virtual_clock(spec)) return without_a_clock(spec.seed);
  const sim::Costs costs = described_costs(spec, layout);
  return sim::times_on(
      costs,
      {.n = spec.n,
       .workers_per_node = described_workers_per_node(spec, costs),
       .slow = parse_slow(spec.slow),
       .seed = spec.seed},
      static_cast<double>(layout.size()) * sizeof(float));
}

} // namespace grapevine::run
