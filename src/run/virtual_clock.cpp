#include "run/virtual_clock.h"

#include "base/compute_words.h"
#include "base/error.h"
#include "base/random.h"
#include "spec/spec_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace grapevine::run {
namespace {

void check_same_task(
    const sim::Compute& compute,
    const spec::Spec& spec,
    const tensor::Layout& layout) {
  const auto bytes = layout.elements() * static_cast<int64_t>(sizeof(float));
  if (compute.model_bytes() != bytes) {
    throw ConfigError(fmt::format(
        "{} has the costs of {}, with {} bytes of parameters; {} has {}",
        spec.costs,
        compute.model,
        compute.model_bytes(),
        spec.model,
        bytes));
  }
  if (compute.batch != spec.batch) {
    throw ConfigError(fmt::format(
        "{} has the costs of a batch of {}, not of {}; measure again, or give "
        "compute",
        spec.costs,
        compute.batch,
        spec.batch));
  }
}

sim::VirtualTimes without_a_clock(uint64_t seed) {
  const auto gradient = [seed](int worker, int64_t number) {
    Random random(seed, Purpose::kCompute, worker, number);
    return std::clamp(1 + 0.1 * random.normal(), 0.5, 1.5);
  };
  const auto nothing = [](int, int) { return 0.0; };
  return {.gradient = gradient, .word = nothing, .transfer = nothing};
}

} // namespace

sim::Costs described_costs(
    const spec::Spec& spec,
    const tensor::Layout& layout) {
  sim::Costs costs;
  if (!spec.costs.empty()) costs = sim::read_costs(spec.costs);
  if (!spec.compute.empty()) {
    const ComputeWords words = parse_compute(spec.compute);
    const auto bytes = layout.size() * static_cast<int64_t>(sizeof(float));
    costs.compute = sim::uniform_compute(
        words.forward,
        words.backward,
        words.update,
        sim::even_buckets(bytes, spec.bucket_bytes));
  } else {
    check_same_task(costs.compute, spec, layout);
    costs.compute = sim::with_buckets(costs.compute, spec.bucket_bytes);
  }
  if (!spec.link.empty()) {
    costs = sim::with_link(costs, parse_link(spec.link));
  }
  if (spec.packing) costs = sim::with_packing(std::move(costs));
  // Links that nobody spoke of limit nothing.
  if (spec.link.empty() && spec.costs.empty()) costs.between.emplace();
  if (spec.workers_per_node > 1 && !costs.inside) costs.inside.emplace();
  return costs;
}

int described_workers_per_node(
    const spec::Spec& spec,
    const sim::Costs& costs) {
  // Costs of one node alone are those of all workers on one.
  if (spec.workers_per_node <= 1 && !costs.between) return spec.n;
  return std::max(1, spec.workers_per_node);
}

std::unique_ptr<sim::RuntimeModel> make_virtual_clock(
    const spec::Spec& spec,
    const tensor::Layout& layout) {
  if (!spec::has_virtual_clock(spec)) return nullptr;
  const sim::Costs costs = described_costs(spec, layout);
  return std::make_unique<sim::RuntimeModel>(
      costs,
      sim::ModelOptions{
          .n = spec.n,
          .workers_per_node = described_workers_per_node(spec, costs),
          .agreement = &algo::find_agreement(spec.agreement),
          .after_backward = spec.clip > 0,
          .slow = parse_slow(spec.slow),
          .seed = spec.seed});
}

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
