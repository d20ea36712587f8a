#include "planner/predict.h"

#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace grapevine::planner {
namespace {

using runtime::Costs;
using runtime::Exchange;
using runtime::Order;
using runtime::StepTimes;

constexpr int kWarmUp = 20;
// Products below this are rounding: the period averages exactly.
constexpr double kExact = 1e-9;

int whole_periods(int steps, size_t period) {
  const auto p = static_cast<int>(period);
  return (steps + p - 1) / p * p;
}

// Whether steps differ by chance; else a few of them say it all.
bool is_drawn(
    const runtime::Compute& compute,
    const transport::SlowOptions& slow) {
  return slow.random_share > 0 ||
         std::ranges::any_of(compute.workers, [](const auto& steps) {
           return steps.size() > 1;
         });
}

bool is_groups(const graph::Mixing& mixing) {
  return mixing.form() == graph::Mixing::Form::kComplete ||
         mixing.form() == graph::Mixing::Form::kGroups;
}

} // namespace

struct Trial::Step {
  std::shared_ptr<const graph::Mixing> mixing;
  std::shared_ptr<const comm::Plan> plan; // none for rings
};

int Question::workers_per_node_in(int n) const {
  if (workers_per_node > 0) return std::min(workers_per_node, n);
  return std::min(
      n,
      runtime::default_workers_per_node(costs, n, link.has_value()));
}

int Question::told_workers_per_node(int n) const {
  const int workers = workers_per_node_in(n);
  return workers < n ? workers : 1;
}

Costs Question::costs_with_link() const {
  return link ? runtime::with_link(costs, *link) : costs;
}

Trial::Trial(const Question& question, const Candidate& candidate)
    : question_(&question),
      candidate_(candidate),
      schedule_(graph::make_schedule(candidate.graph)) {
  if (candidate.is_asynchronous()) {
    if (question.mover == Mover::kRings) {
      throw ConfigError("rings average groups; gossip is between pairs");
    }
    const Costs costs = question.costs_with_link();
    const int n = candidate.graph.n;
    gossip_ = std::make_unique<GossipForecaster>(
        *schedule_,
        costs,
        gossip::TimedCluster{
            .n = n,
            .workers_per_node = question.workers_per_node_in(n),
            .slow = question.slow,
            .seed = question.seed,
            .replica_bytes = static_cast<double>(costs.compute.model_bytes())},
        question.steps);
    return;
  }
  const int64_t bytes = question.costs.compute.model_bytes();
  std::map<uint64_t, std::shared_ptr<const comm::Plan>> plans; // by digest
  for (int step = 0; step < std::max(1, schedule_->sample_steps()); ++step) {
    const auto mixing = schedule_->at({.step = step});
    if (question.mover == Mover::kRings) {
      if (!is_groups(*mixing)) {
        throw ConfigError("rings average groups; this graph has none");
      }
      steps_.push_back({mixing, nullptr});
      continue;
    }
    auto& plan = plans[mixing->digest()];
    if (!plan) {
      plan = comm::make_plan(
          *mixing,
          bytes,
          question.told_workers_per_node(candidate.graph.n));
    }
    steps_.push_back({mixing, plan});
  }
}

Trial::~Trial() = default;
Trial::Trial(Trial&&) noexcept = default;

Exchange Trial::exchange(const Step& step, const runtime::Network& network)
    const {
  if (!step.plan) return ring_exchange(*step.mixing, network);
  const bool in_place = order() != Order::kCombineWhileAdapt;
  return plan_exchange(*step.plan, network, in_place);
}

Order Trial::order() const {
  return *runtime::order_of(candidate_.algorithm);
}

StepTimes Trial::times(const Costs& costs) const {
  return gossip_ ? gossip_->forecast(costs).times : recursion(costs);
}

StepTimes Trial::recursion(const Costs& costs) const {
  runtime::RuntimeModel model(
      costs,
      {.n = candidate_.graph.n,
       .workers_per_node = question_->workers_per_node_in(candidate_.graph.n),
       .order = order(),
       .after_backward = question_->after_backward,
       .slow = question_->slow,
       .seed = question_->seed});
  std::vector<Exchange> exchanges;
  for (const Step& step : steps_)
    exchanges.push_back(exchange(step, model.network()));
  const int wanted = is_drawn(costs.compute, question_->slow)
                         ? question_->steps
                         : std::min(question_->steps, kWarmUp);
  const int first = whole_periods(kWarmUp, steps_.size());
  const int end = first + whole_periods(wanted, steps_.size());
  StepTimes sum;
  for (int step = 0; step < end; ++step) {
    const StepTimes times =
        model.advance(step, exchanges[step % exchanges.size()]);
    if (step >= first) sum += times;
  }
  return sum / (end - first);
}

double Trial::steps_to_agree() const {
  return steps_to_agree(graph::analyse(*schedule_));
}

double Trial::steps_to_agree(const graph::Spectrum& spectrum) const {
  if (candidate_.is_all_reduce()) return 0;
  if (gossip_) return gossip_steps_to_agree(spectrum);
  const auto period = static_cast<double>(steps_.size());
  if (spectrum.second_eigenvalue <= kExact) return period;
  return period * std::log(10) / -std::log(spectrum.second_eigenvalue);
}

Prediction Trial::predict() const {
  const Costs costs = question_->costs_with_link();
  Prediction prediction{
      .candidate = candidate_,
      .spectrum = graph::analyse(*schedule_)};
  prediction.steps_to_agree = steps_to_agree(prediction.spectrum);
  if (gossip_) {
    const GossipForecast forecast = gossip_->forecast(costs);
    prediction.times = forecast.times;
    prediction.messages = forecast.words + forecast.averagings;
    prediction.copies = forecast.averagings;
    prediction.plan = "pairs";
    return prediction;
  }
  prediction.times = recursion(costs);
  const double share = 1.0 / static_cast<double>(steps_.size());
  std::vector<std::string> names;
  for (const Step& step : steps_) {
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

Forecast predict(const Question& question, const std::vector<int>& ns) {
  check(question.choices);
  runtime::check(question.costs);
  Forecast forecast;
  for (const int n : ns) {
    transport::check_slow_workers(question.slow, n);
    // Links that are missing are the question's fault, not a graph's.
    runtime::Network(
        question.costs_with_link(),
        n,
        question.workers_per_node_in(n));
    for (const Candidate& candidate : candidates(
             question.choices,
             n,
             question.told_workers_per_node(n),
             question.seed)) {
      try {
        forecast.rows.push_back(Trial(question, candidate).predict());
      } catch (const ConfigError& error) {
        forecast.skipped.push_back({candidate, error.what()});
      }
    }
  }
  return forecast;
}

} // namespace grapevine::planner
