// A small cluster, and rows of its forecasts.
#pragma once

#include "base/error.h"
#include "sim/predict.h"

#include <algorithm>
#include <string>

namespace grapevine::sim {

inline constexpr int64_t kMegabyte = 1'000'000;

// 25 MB, 180 ms of compute, 10 ms of update.
inline Question small_question(const std::string& link) {
  Question question;
  question.costs.compute = sim::uniform_compute(
      0.06,
      0.12,
      0.01,
      sim::even_buckets(25 * kMegabyte, kMegabyte));
  question.link = parse_link(link);
  question.steps = 40;
  return question;
}

inline const std::string kOverlapped = "combine-while-adapt";

inline const Prediction& row(
    const Forecast& forecast,
    const std::string& algorithm,
    const std::string& graph,
    int n) {
  const auto found =
      std::ranges::find_if(forecast.rows, [&](const Prediction& it) {
        return it.candidate.algorithm == algorithm &&
               it.candidate.graph.name == graph && it.candidate.graph.n == n;
      });
  if (found == forecast.rows.end()) throw Error("no such row: " + graph);
  return *found;
}

} // namespace grapevine::sim
