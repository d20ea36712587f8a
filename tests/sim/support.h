// Small clusters whose times can be worked out by hand, and predictions for
// one.
#pragma once

#include "base/error.h"
#include "graph/schedule.h"
#include "mix/plan.h"
#include "sim/model.h"
#include "sim/predict.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace grapevine::sim {

inline constexpr double kClose = 1e-9;
inline constexpr int64_t kMegabyte = 1'000'000;
inline const std::string kOverlapped = "combine-while-adapt";

// Links between nodes only, one worker each unless said otherwise.
inline Costs links(double latency, double bytes_per_second) {
  Costs costs;
  costs.between = Level{.latency = latency, .shared = bytes_per_second};
  return costs;
}

// The same with these compute times.
inline Costs cluster(double latency, double bytes_per_second, Compute compute) {
  Costs costs = links(latency, bytes_per_second);
  costs.compute = std::move(compute);
  return costs;
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

inline ModelOptions workers(int n, const std::string& agreement) {
  return {.n = n, .agreement = &algo::find_agreement(agreement)};
}

// Seconds of an iteration of the steps from `from` to `to`, all plans kept.
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

// 25 MB, 180 ms of compute, 10 ms of update.
inline Query small_query(const std::string& link) {
  Query query;
  query.costs.compute = uniform_compute(
      0.06,
      0.12,
      0.01,
      even_buckets(25 * kMegabyte, kMegabyte));
  query.link = parse_link(link);
  query.steps = 40;
  return query;
}

// Error if it is not possible.
inline const Prediction& row(
    const std::vector<Prediction>& predictions,
    const std::string& algorithm,
    const std::string& graph,
    int n) {
  const auto found = std::ranges::find_if(predictions, [&](const auto& it) {
    return it.algorithm == algorithm && it.graph.name == graph && it.n() == n;
  });
  if (found == predictions.end() || !found->impossible.empty()) {
    throw Error("no such row: " + graph);
  }
  return *found;
}

} // namespace grapevine::sim
