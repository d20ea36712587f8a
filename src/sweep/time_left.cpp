#include "sweep/time_left.h"

#include "sweep/forecast.h"

#include <algorithm>

namespace grapevine::sweep {
namespace {

// Before that, what starting takes (data, replicas) hides the rate.
constexpr double kTelling = 0.05;

} // namespace

TimeLeft::TimeLeft(std::vector<double> estimates) {
  for (const double estimate : estimates)
    runs_.push_back({.estimate = std::max(estimate, 1e-3)});
}

void TimeLeft::begin(const Start& start, double now) {
  Run& run = runs_[start.run];
  run.begin = run.seen = now;
  run.fraction = 0;
  run.threads = start.threads;
}

void TimeLeft::reach(size_t index, double fraction, double now) {
  Run& run = runs_[index];
  const double bounded = std::clamp(fraction, 0.0, 1.0);
  if (bounded <= run.fraction) return;
  run.fraction = bounded;
  run.seen = now;
}

void TimeLeft::complete(size_t run, double now) {
  reach(run, 1, now);
}

double TimeLeft::correction() const {
  double measured = 0;
  double estimated = 0;
  for (const Run& run : runs_) {
    if (run.fraction < kTelling) continue;
    measured += (run.seen - run.begin) * run.threads;
    estimated += run.estimate * run.fraction;
  }
  return estimated > 0 && measured > 0 ? measured / estimated : 1;
}

double TimeLeft::work_left(const Run& run, double now) const {
  const double own_rate =
      run.fraction >= kTelling
          ? (run.seen - run.begin) * run.threads / run.fraction
          : run.estimate * correction();
  const double at_last_sight = own_rate * (1 - run.fraction);
  return std::max(0.0, at_last_sight - elapsed_since_seen(run, now));
}

double TimeLeft::elapsed_since_seen(const Run& run, double now) const {
  return run.threads * (now - run.seen);
}

std::vector<double> TimeLeft::work(const Scheduler& scheduler, double now)
    const {
  std::vector<double> work(runs_.size());
  const double factor = correction();
  for (const size_t run : scheduler.waiting())
    work[run] = runs_[run].estimate * factor;
  for (const Start& start : scheduler.running())
    work[start.run] = work_left(runs_[start.run], now);
  return work;
}

double TimeLeft::of_sweep(const Scheduler& scheduler, double now) const {
  return forecast(scheduler, work(scheduler, now)).seconds;
}

double TimeLeft::of_run(size_t index, double now) const {
  const Run& run = runs_[index];
  return work_left(run, now) / std::max(1, run.threads);
}

} // namespace grapevine::sweep
