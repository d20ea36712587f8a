#include "cli/bench_needs.h"

#include "data/locate.h"
#include "sweep/machine.h"

#include <algorithm>

namespace grapevine::cli {
namespace {

// Estimates are not exact and other programs want memory too.
constexpr double kMemoryShare = 0.8;

double part_left(const BenchRun& run, const run::Estimate& estimate) {
  if (estimate.steps <= 0) return 1;
  const double done = static_cast<double>(run.stored.step) /
                      static_cast<double>(estimate.steps);
  return std::clamp(1 - done, 0.0, 1.0);
}

// On the threads that it will have if all runs are like it.
int64_t
memory_of(const spec::Spec& spec, const run::Estimate& estimate, int threads) {
  const int more = (spec.threads > 0 ? spec.threads : threads) - 1;
  return estimate.memory_bytes + more * estimate.thread_bytes;
}

} // namespace

BenchNeeds find_needs(const BenchPlan& plan, int jobs) {
  BenchNeeds needs;
  needs.limits = {
      .cores = sweep::available_cores(),
      .jobs = jobs,
      .memory_bytes = static_cast<int64_t>(
          kMemoryShare * static_cast<double>(sweep::available_memory()))};
  needs.estimates.resize(plan.runs.size());
  needs.core_seconds.resize(plan.runs.size());
  const std::vector<size_t> to_do = runs_to_do(plan);
  if (to_do.empty()) return needs;
  run::Estimator estimator(
      {.data_path = data::default_data_path(), .cores = needs.limits.cores});
  for (const size_t run : to_do) {
    const run::Estimate estimate = estimator.estimate(plan.runs[run].spec);
    needs.estimates[run] = estimate;
    needs.core_seconds[run] =
        estimate.core_seconds * part_left(plan.runs[run], estimate);
  }
  return needs;
}

sweep::Scheduler make_scheduler(
    const BenchPlan& plan,
    const BenchNeeds& needs) {
  const std::vector<size_t> to_do = runs_to_do(plan);
  const int at_once = std::clamp(
      needs.limits.jobs > 0 ? needs.limits.jobs : needs.limits.cores,
      1,
      std::max(1, static_cast<int>(to_do.size())));
  const int threads = std::max(1, needs.limits.cores / at_once);
  std::vector<sweep::Need> list;
  for (size_t i = 0; i < plan.runs.size(); ++i) {
    const spec::Spec& spec = plan.runs[i].spec;
    list.push_back(
        {memory_of(spec, needs.estimates[i], threads), spec.threads});
  }
  return {std::move(list), to_do, needs.limits};
}

} // namespace grapevine::cli
