#include "sim/trial.h"

#include "base/error.h"
#include "gossip/dynamics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace grapevine::sim {
namespace {

using sim::Costs;
using sim::Exchange;
using sim::StepTimes;

constexpr int kWarmUp = 20;
// Products below this are rounding: the period averages exactly.
constexpr double kExact = 1e-9;

int whole_periods(int steps, int period) {
  return (steps + period - 1) / period * period;
}

// Whether steps differ by chance; else a few of them say it all.
bool is_drawn(const sim::Compute& compute, const SlowOptions& slow) {
  return slow.random_share > 0 ||
         std::ranges::any_of(compute.workers, [](const auto& steps) {
           return steps.size() > 1;
         });
}

} // namespace

Trial::Trial(
    const Question& question,
    const Candidate& candidate,
    std::shared_ptr<const Course> course)
    : question_(&question),
      candidate_(candidate),
      course_(std::move(course)) {
  if (!candidate.is_asynchronous()) {
    check_weights();
    return;
  }
  if (question.mover == Mover::kRings) {
    throw ConfigError("rings average groups; gossip is between pairs");
  }
  if (course_->is_in_phases()) {
    throw ConfigError("gossip is predicted on graphs that do not change");
  }
  const Costs costs = question.as_used(question.costs_with_link());
  const int n = candidate.graph.n;
  // Refuses graphs that are not connected.
  gossip::accelerated_dynamics(course_->spectrum(), n, candidate.rate);
  gossip_ = std::make_unique<GossipForecaster>(
      course_->schedule(),
      costs,
      sim::TimedCluster{
          .n = n,
          .workers_per_node = question.workers_per_node_in(n),
          .slow = question.slow,
          .seed = question.seed,
          .replica_bytes = static_cast<double>(costs.compute.model_bytes())},
      candidate.rate,
      question.steps);
}

void Trial::check_weights() const {
  if (candidate_.agreement().carries_weights()) return;
  if (!course_->schedule().weights(0)) return;
  throw ConfigError(fmt::format(
      "not everybody sends to and hears from equally many; that is for {}",
      algo::agreements_that(&algo::Agreement::carries_weights).front()));
}

Trial::~Trial() = default;
Trial::Trial(Trial&&) noexcept = default;

double Trial::seconds(const Costs& costs) const {
  if (gossip_) return gossip_->forecast(costs).times.seconds;
  return recursion(costs, false).seconds;
}

StepTimes Trial::recursion(const Costs& costs, bool in_parts) const {
  const size_t count = course_->steps().size();
  if (!course_->is_in_phases()) return recursion(costs, in_parts, {0, count});
  StepTimes sum;
  for (size_t phase = 0; phase < count; ++phase)
    sum += recursion(costs, in_parts, {phase, phase + 1});
  return sum / static_cast<double>(count);
}

StepTimes
Trial::recursion(const Costs& costs, bool in_parts, const Steps& steps) const {
  sim::RuntimeModel model(
      costs,
      {.n = candidate_.graph.n,
       .workers_per_node = question_->workers_per_node_in(candidate_.graph.n),
       .agreement = &candidate_.agreement(),
       .after_backward = question_->after_backward,
       .slow = question_->slow,
       .seed = question_->seed});
  const Course::Priced priced =
      course_->priced(model.network(), !candidate_.agreement().sends_ahead());
  const auto period = static_cast<int>(steps.end - steps.begin);
  const auto advance = [&](int step) -> StepTimes {
    const Exchange& exchange = (*priced.exchanges)[steps.begin + step % period];
    if (in_parts) return model.advance(step, exchange, priced.byte);
    return {.seconds = model.advance_alone(step, exchange, priced.byte)};
  };
  const bool drawn = is_drawn(costs.compute, question_->slow);
  const int wanted =
      drawn ? question_->steps : std::min(question_->steps, kWarmUp);
  const int first = whole_periods(kWarmUp, period);
  for (int step = 0; step < first; step += period) {
    const std::vector<double> before =
        drawn ? std::vector<double>() : model.state();
    StepTimes sum;
    for (int i = 0; i < period; ++i)
      sum += advance(step + i);
    // Nothing new will happen.
    if (!drawn && model.has_moved_evenly(before)) return sum / period;
  }
  const int end = first + whole_periods(wanted, period);
  StepTimes sum;
  for (int step = first; step < end; ++step)
    sum += advance(step);
  return sum / (end - first);
}

double Trial::steps_to_agree() const {
  const graph::Spectrum& spectrum = course_->spectrum();
  if (candidate_.is_all_reduce()) return 0;
  if (gossip_) {
    return gossip_steps_to_agree(spectrum, candidate_.graph.n, candidate_.rate);
  }
  const auto period = course_->is_in_phases()
                          ? 1.0
                          : static_cast<double>(course_->steps().size());
  if (spectrum.second_eigenvalue <= kExact) return period;
  if (spectrum.second_eigenvalue >= 1) return sim::kUnlimited;
  return period * std::log(10) / -std::log(spectrum.second_eigenvalue);
}

Prediction Trial::predict() const {
  const Costs costs = question_->as_used(question_->costs_with_link());
  Prediction prediction{
      .candidate = candidate_,
      .spectrum = course_->spectrum(),
      .steps_to_agree = steps_to_agree()};
  if (gossip_) {
    const GossipForecast forecast = gossip_->forecast(costs);
    prediction.times = forecast.times;
    prediction.messages = forecast.words + forecast.averagings;
    prediction.copies = forecast.averagings;
    prediction.plan = "pairs";
    return prediction;
  }
  prediction.times = recursion(costs, true);
  const double planes = candidate_.agreement().planes_sent();
  const double share = planes / static_cast<double>(course_->steps().size());
  std::vector<std::string> names;
  for (const Course::Step& step : course_->steps()) {
    if (!step.plan) continue;
    prediction.messages += share * step.plan->max_messages();
    prediction.copies += share * step.plan->max_copies();
    const std::string name = step.plan->name();
    if (std::ranges::count(names, name) == 0) names.push_back(name);
  }
  prediction.plan =
      names.empty() ? "ring" : fmt::format("{}", fmt::join(names, ", "));
  return prediction;
}

} // namespace grapevine::sim
