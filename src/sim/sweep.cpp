#include "sim/sweep.h"

#include "base/check.h"

#include <algorithm>
#include <cmath>

namespace grapevine::sim {
namespace {

using sim::Costs;
using sim::Level;

constexpr double kDefaultRate = 1.25e9; // 10 Gbit/s
constexpr double kReach = 100;
constexpr double kEndPrecision = 1.02;

// The level that limits, of costs with the link in its place.
std::optional<Level> Costs::*level_of(const Question& question, int n) {
  const bool one_node = question.workers_per_node_in(n) >= n;
  // One worker needs no links; those that were given are the ones to show.
  if (n == 1 && question.costs_with_link().between) return &Costs::between;
  return one_node ? &Costs::inside : &Costs::between;
}

} // namespace

double link_rate(const Question& question, int n) {
  const Costs costs = question.costs_with_link();
  const std::optional<Level>& level = costs.*level_of(question, n);
  if (!level) return sim::kUnlimited;
  return std::min(level->bandwidth, level->shared) / kPayloadShare;
}

std::vector<double> rates_around(double rate, int count) {
  GV_CHECK(count >= 2);
  const double middle = std::isfinite(rate) ? rate : kDefaultRate;
  std::vector<double> rates;
  for (int i = 0; i < count; ++i) {
    const double place = 2.0 * i / (count - 1) - 1; // -1 to 1
    rates.push_back(middle * std::pow(kReach, place));
  }
  return rates;
}

Costs costs_at(const Question& question, int n, double bytes_per_second) {
  Costs costs = question.costs_with_link();
  std::optional<Level>& level = costs.*level_of(question, n);
  const double rate = link_rate(question, n);
  if (std::isfinite(rate)) {
    // All links that many times as fast as they are.
    const double factor = bytes_per_second / rate;
    level->bandwidth *= factor;
    level->shared *= factor;
    for (sim::NodeRate& node : costs.node_rates)
      node.shared *= factor;
    for (sim::LinkRate& link : costs.link_rates)
      link.bandwidth *= factor;
    return costs;
  }
  if (!level) level = Level{};
  level->bandwidth = bytes_per_second * kPayloadShare;
  // Inside a node the ways of its workers are their own.
  level->shared = level_of(question, n) == &Costs::between ? level->bandwidth
                                                           : sim::kUnlimited;
  return costs;
}

int choose(
    const std::vector<double>& seconds,
    const std::vector<double>& steps_to_agree) {
  GV_CHECK(!seconds.empty());
  const double limit = std::ranges::min(seconds) * (1 + Sweeper::kTie);
  int best = -1;
  for (int i = 0; i < static_cast<int>(seconds.size()); ++i) {
    if (seconds[i] > limit) continue;
    const bool is_better = best < 0 ||
                           steps_to_agree[i] < steps_to_agree[best] ||
                           (steps_to_agree[i] == steps_to_agree[best] &&
                            seconds[i] < seconds[best]);
    if (is_better) best = i;
  }
  return best;
}

Sweeper::Sweeper(const Question& question, int n) : n_(n) {
  auto shorter = std::make_unique<Question>(question);
  shorter->steps = std::min(question.steps, kMostSteps);
  question_ = std::move(shorter);
  trials_ = std::make_unique<Trials>(*question_, n);
  for (int i = 0; i < trials_->size(); ++i)
    steps_to_agree_.push_back((*trials_)[i].steps_to_agree());
}

const std::vector<double>& Sweeper::times(double rate) {
  auto found = times_.find(rate);
  if (found != times_.end()) return found->second;
  const Costs costs = question_->as_used(costs_at(*question_, n_, rate));
  std::vector<double> times(trials_->size());
  trials_->for_each([&](int i) { times[i] = (*trials_)[i].seconds(costs); });
  return times_.emplace(rate, std::move(times)).first->second;
}

Sweep Sweeper::sweep(const std::vector<double>& rates) {
  Sweep sweep{
      .n = n_,
      .rates = rates,
      .candidates = {},
      .steps_to_agree = steps_to_agree_};
  for (int i = 0; i < trials_->size(); ++i) {
    sweep.candidates.push_back(candidate(i));
    auto& row = sweep.seconds.emplace_back();
    for (const double rate : rates)
      row.push_back(seconds(i, rate));
  }
  return sweep;
}

int Sweeper::answer(double rate) {
  return choose(times(rate), steps_to_agree_);
}

std::vector<Sweeper::Regime> Sweeper::regimes(
    const std::vector<double>& rates) {
  std::vector<Regime> regimes;
  for (const double rate : rates) {
    const int now = answer(rate);
    if (regimes.empty()) regimes.push_back({rate, rate, now});
    Regime& last = regimes.back();
    if (last.candidate == now) {
      last.to = rate;
      continue;
    }
    double low = last.to;
    double high = rate;
    while (high / low > kEndPrecision) {
      const double middle = std::sqrt(low * high);
      (answer(middle) == last.candidate ? low : high) = middle;
    }
    last.to = high;
    regimes.push_back({high, rate, now});
  }
  return regimes;
}

} // namespace grapevine::sim
