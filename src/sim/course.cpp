#include "sim/course.h"

#include "base/error.h"
#include "graph/cyclic_schedule.h"
#include "sim/question.h"

#include <algorithm>

namespace grapevine::sim {
namespace {

bool is_groups(const graph::Mixing& mixing) {
  return mixing.form() == graph::Mixing::Form::kComplete ||
         mixing.form() == graph::Mixing::Form::kGroups;
}

} // namespace

Course::Course(const Question& question, const graph::GraphOptions& graph)
    : is_in_phases_(graph.name == "ada") {
  graph::GraphOptions options = graph;
  if (is_in_phases_) options.epochs = kAdaPhases;
  schedule_ = graph::make_schedule(options);
  if (is_in_phases_) {
    for (int epoch = 0; epoch < kAdaPhases; ++epoch) {
      const auto done = static_cast<double>(epoch);
      add_step(question, schedule_->at({.epoch = epoch, .epochs_done = done}));
    }
    spectrum_ = graph::analyse(graph::CyclicSchedule(steps_.back().mixing));
    return;
  }
  for (int step = 0; step < std::max(1, schedule_->sample_steps()); ++step)
    add_step(question, schedule_->at({.step = step}));
  spectrum_ = graph::analyse(*schedule_);
}

void Course::add_step(
    const Question& question,
    std::shared_ptr<const graph::Mixing> mixing) {
  if (question.mover == Mover::kRings) {
    if (!is_groups(*mixing)) {
      throw ConfigError("rings average groups; this graph has none");
    }
    steps_.push_back({std::move(mixing), nullptr});
    return;
  }
  const auto known = std::ranges::find_if(steps_, [&](const Step& step) {
    return step.mixing->digest() == mixing->digest();
  });
  auto plan = known != steps_.end()
                  ? known->plan
                  : mix::make_plan(
                        *mixing,
                        question.costs.compute.model_bytes(),
                        question.told_workers_per_node(mixing->n()));
  steps_.push_back({std::move(mixing), std::move(plan)});
}

Course::Priced Course::priced(const sim::Network& network, bool in_place)
    const {
  const std::lock_guard lock(mutex_);
  std::optional<Known>& known = known_[in_place ? 1 : 0];
  if (known) {
    if (const auto factor = network.times_as_fast(known->network)) {
      return {known->exchanges, 1 / *factor};
    }
  }
  auto exchanges = std::make_shared<std::vector<sim::Exchange>>();
  for (const Step& step : steps_) {
    exchanges->push_back(
        step.plan ? plan_exchange(*step.plan, network, in_place)
                  : ring_exchange(*step.mixing, network));
  }
  known = Known{network, exchanges};
  return {std::move(exchanges), 1};
}

} // namespace grapevine::sim
