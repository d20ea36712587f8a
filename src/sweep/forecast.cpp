#include "sweep/forecast.h"

#include <algorithm>

namespace grapevine::sweep {
namespace {

void start_runs(
    Scheduler& scheduler,
    const std::vector<double>& work,
    Forecast& result) {
  while (const auto start = scheduler.next(work))
    result.begin[start->run] = result.seconds;
  result.peak_memory_bytes =
      std::max(result.peak_memory_bytes, scheduler.memory_bytes());
  result.most_at_once = std::max(
      result.most_at_once,
      static_cast<int>(scheduler.running().size()));
}

// Core-seconds a second that one thread works off.
double thread_rate(const Scheduler& scheduler) {
  const int threads = std::max(1, scheduler.threads());
  return std::min(1.0, static_cast<double>(scheduler.limits().cores) / threads);
}

Start next_to_end(const Scheduler& scheduler, const std::vector<double>& work) {
  return *std::ranges::min_element(
      scheduler.running(),
      {},
      [&](const Start& start) { return work[start.run] / start.threads; });
}

} // namespace

Forecast forecast(Scheduler scheduler, std::vector<double> work) {
  Forecast result;
  result.begin.resize(work.size());
  result.end.resize(work.size());
  start_runs(scheduler, work, result);
  while (!scheduler.running().empty()) {
    const Start ending = next_to_end(scheduler, work);
    const double rate = thread_rate(scheduler);
    const double seconds =
        std::max(0.0, work[ending.run]) / (ending.threads * rate);
    for (const Start& start : scheduler.running())
      work[start.run] -= seconds * start.threads * rate;
    result.seconds += seconds;
    result.end[ending.run] = result.seconds;
    scheduler.end(ending.run);
    start_runs(scheduler, work, result);
  }
  return result;
}

} // namespace grapevine::sweep
