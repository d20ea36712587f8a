#include "cli/graph_facts.h"

#include "graph/cyclic_schedule.h"
#include "mix/plan.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace grapevine::cli {
namespace {

struct Cost {
  std::string name;
  std::string description;
  double messages;
  double copies;
  double node_copies;
};

Cost cost_of(const graph::Mixing& mixing, const GraphQuestion& question) {
  const int per_node = question.workers_per_node;
  const auto plan = mix::make_plan(mixing, question.model_bytes, per_node);
  return {
      plan->name(),
      plan->describe(),
      static_cast<double>(plan->max_messages()),
      plan->max_copies(),
      per_node == 1 ? plan->max_copies() : plan->max_node_copies(per_node)};
}

} // namespace

GraphFacts graph_facts(
    const graph::Schedule& schedule,
    const GraphQuestion& question) {
  if (question.moment) {
    GraphQuestion still = question;
    still.moment.reset();
    return graph_facts(
        graph::CyclicSchedule(schedule.at(*question.moment)),
        still);
  }
  GraphFacts facts{
      .name = question.name,
      .n = schedule.n(),
      .spectrum = graph::analyse(schedule),
      .plan = "",
      .plan_description = "",
      .messages = 0,
      .copies = 0,
      .node_copies = 0};
  const int steps = std::max(1, schedule.sample_steps());
  std::map<uint64_t, Cost> costs; // by the mixing's digest
  std::vector<std::string> plans;
  for (int step = 0; step < steps; ++step) {
    const auto mixing = schedule.at({.step = step, .epoch = 0});
    auto found = costs.find(mixing->digest());
    if (found == costs.end()) {
      found = costs.emplace(mixing->digest(), cost_of(*mixing, question)).first;
    }
    const Cost& cost = found->second;
    if (step == 0) facts.plan_description = cost.description;
    if (std::find(plans.begin(), plans.end(), cost.name) == plans.end()) {
      facts.plan += (plans.empty() ? "" : ", ") + cost.name;
      plans.push_back(cost.name);
    }
    facts.messages += cost.messages / steps;
    facts.copies += cost.copies / steps;
    facts.node_copies += cost.node_copies / steps;
  }
  return facts;
}

} // namespace grapevine::cli
