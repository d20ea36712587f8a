#include "sim/predict.h"

#include "sim/network.h"

#include <algorithm>
#include <iterator>

namespace grapevine::sim {

Forecast predict(const Question& question, const std::vector<int>& ns) {
  check(question.choices);
  sim::check(question.costs);
  Forecast forecast;
  for (const int n : ns) {
    check_slow_workers(question.slow, n);
    if (question.link) {
      check_links(*question.link, n, question.workers_per_node_in(n));
    }
    // Links that are missing are the question's fault, not a graph's.
    [[maybe_unused]] const sim::Network network(
        question.costs_with_link(),
        n,
        question.workers_per_node_in(n));
    Trials trials(question, n);
    std::vector<Prediction> rows(trials.size());
    trials.for_each([&](int i) { rows[i] = trials[i].predict(); });
    std::ranges::move(rows, std::back_inserter(forecast.rows));
    std::ranges::copy(trials.skipped(), std::back_inserter(forecast.skipped));
  }
  return forecast;
}

} // namespace grapevine::sim
