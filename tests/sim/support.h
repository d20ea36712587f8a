// Small clusters whose times can be worked out by hand.
#pragma once

#include "graph/schedule.h"
#include "mix/plan.h"
#include "sim/model.h"

#include <memory>
#include <string>
#include <vector>

namespace grapevine::sim {

inline constexpr double kClose = 1e-9;

// Links between nodes only, one worker each unless said otherwise.
inline Costs links(double latency, double bytes_per_second) {
  Costs costs;
  costs.between = Level{
      .latency = latency,
      .bandwidth = kUnlimited,
      .shared = bytes_per_second};
  return costs;
}

inline Costs with_compute(Costs costs, Compute compute) {
  costs.compute = std::move(compute);
  return costs;
}

// The same forward and backward in every step of everybody.
inline Compute even(
    double forward,
    double backward,
    std::vector<int64_t> buckets,
    double update = 0) {
  return uniform_compute(forward, backward, update, std::move(buckets));
}

inline std::unique_ptr<graph::Schedule>
schedule(const std::string& name, int n, int workers_per_node = 1, int k = 0) {
  return graph::make_schedule(
      {.name = name, .n = n, .k = k, .workers_per_node = workers_per_node});
}

inline std::shared_ptr<const mix::Plan>
plan_at(const graph::Schedule& schedule, int64_t step, int64_t bytes) {
  return mix::make_plan(*schedule.at({.step = step}), bytes);
}

// Seconds an iteration of the steps from `from` to `to`, all plans kept.
inline StepTimes mean_times(
    RuntimeModel& model,
    const graph::Schedule& schedule,
    int from,
    int to,
    int64_t bytes) {
  std::vector<std::shared_ptr<const mix::Plan>> plans;
  for (int step = 0; step < schedule.period(); ++step)
    plans.push_back(plan_at(schedule, step, bytes));
  StepTimes sum;
  for (int step = 0; step < to; ++step) {
    const StepTimes times = model.advance(step, *plans[step % plans.size()]);
    if (step >= from) sum += times;
  }
  return sum / (to - from);
}

} // namespace grapevine::sim
