#include "sim/predict.h"

#include "base/error.h"
#include "base/thread_pool.h"
#include "gossip/dynamics.h"
#include "graph/cyclic_schedule.h"
#include "sim/exchange.h"
#include "sim/gossip_forecast.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <thread>

namespace grapevine::sim {
namespace {

constexpr int kWarmUp = 20;
// Products below this are rounding: the period averages exactly.
constexpr double kExact = 1e-9;

int thread_count(const Query& query) {
  if (query.threads > 0) return query.threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Costs packed(const Query& query, Costs costs) {
  return query.packing ? with_packing(std::move(costs)) : costs;
}

ModelOptions model_options(const Query& query, const Prediction& candidate) {
  return {
      .n = candidate.n(),
      .workers_per_node = query.workers_per_node_in(candidate.n()),
      .agreement = &candidate.agreement(),
      .after_backward = query.after_backward,
      .slow = query.slow,
      .seed = query.seed};
}

int whole_periods(int steps, int period) {
  return (steps + period - 1) / period * period;
}

// Whether steps differ at random; else a few of them say it all.
bool is_drawn(const Compute& compute, const SlowOptions& slow) {
  return slow.random_share > 0 ||
         std::ranges::any_of(compute.workers, [](const auto& steps) {
           return steps.size() > 1;
         });
}

// One graph of n workers: its schedule and plans. Shared by all algorithms that
// are tried on it.
struct GraphPlans {
  struct Step {
    std::shared_ptr<const graph::Mixing> mixing;
    std::shared_ptr<const mix::Plan> plan; // none for rings
  };
  std::unique_ptr<graph::Schedule> schedule;
  // A period of the schedule. Ada's has none: kAdaPhases moments of its run,
  // from the first graph to the last, each of which holds for long.
  std::vector<Step> steps = {};
  bool is_in_phases = false;
  // Ada's: of its last graph, the sparsest.
  graph::Spectrum spectrum = {};
};

constexpr int kAdaPhases = 8;

bool is_groups(const graph::Mixing& mixing) {
  return mixing.form() == graph::Mixing::Form::kComplete ||
         mixing.form() == graph::Mixing::Form::kGroups;
}

void add_step(
    GraphPlans& plans,
    const Query& query,
    std::shared_ptr<const graph::Mixing> mixing) {
  std::shared_ptr<const mix::Plan> plan;
  if (query.rings) {
    if (!is_groups(*mixing)) {
      throw ConfigError("rings average groups; this graph has none");
    }
  } else {
    const auto known = std::ranges::find_if(plans.steps, [&](const auto& step) {
      return step.mixing->digest() == mixing->digest();
    });
    plan = known != plans.steps.end()
               ? known->plan
               : mix::make_plan(
                     *mixing,
                     query.costs.compute.model_bytes(),
                     query.told_workers_per_node(mixing->n()));
  }
  plans.steps.push_back({std::move(mixing), std::move(plan)});
}

// ConfigError if n does not allow the graph, or rings cannot do what it asks
// for.
GraphPlans make_plans(const Query& query, graph::GraphOptions options) {
  const bool is_ada = options.name == "ada";
  if (is_ada) options.epochs = kAdaPhases;
  GraphPlans plans{graph::make_schedule(options)};
  plans.is_in_phases = is_ada;
  const int steps =
      is_ada ? kAdaPhases : std::max(1, plans.schedule->sample_steps());
  for (int step = 0; step < steps; ++step) {
    const graph::StepTime time =
        is_ada ? graph::StepTime{.epoch = step, .epochs_done = 1.0 * step}
               : graph::StepTime{.step = step};
    add_step(plans, query, plans.schedule->at(time));
  }
  plans.spectrum =
      is_ada ? graph::analyse(graph::CyclicSchedule(plans.steps.back().mixing))
             : graph::analyse(*plans.schedule);
  return plans;
}

} // namespace

// One candidate on the plans of its graph. Several may be asked at the same
// time, each by one thread at a time.
struct Planner::Trial {
  const Query& query;
  Prediction candidate;
  std::shared_ptr<const GraphPlans> plans;
  std::unique_ptr<GossipForecaster> gossip = {}; // of an asynchronous candidate
  // What the steps exchange over the first links that were asked about.
  std::optional<Network> network = {};
  std::vector<Exchange> exchanges = {};

  // ConfigError if the candidate cannot be predicted.
  Trial(
      const Query& query,
      const Prediction& candidate,
      std::shared_ptr<const GraphPlans> plans);

  double steps_to_agree() const;
  // Everything, over these links.
  Prediction predict(const Costs& costs);
  // Of an iteration; in_parts: else of the times only seconds.
  StepTimes times(const Costs& costs, bool in_parts);
  // Of these steps of the plans, over and over.
  StepTimes times(const Costs& costs, bool in_parts, size_t begin, size_t end);
  // Makes the exchanges fit these links: returns what a byte counts as. Links
  // that are all so many times as fast, as at another bandwidth, have the same
  // exchanges, and bytes that count as less.
  double price(const Network& links);
};

Planner::Trial::Trial(
    const Query& query,
    const Prediction& candidate,
    std::shared_ptr<const GraphPlans> graph_plans)
    : query(query),
      candidate(candidate),
      plans(std::move(graph_plans)) {
  const algo::Agreement& agreement = candidate.agreement();
  if (!agreement.is_asynchronous()) {
    if (agreement.carries_weights() || !plans->schedule->weights(0)) return;
    throw ConfigError(fmt::format(
        "the graph is not doubly stochastic; that is for {}",
        algo::agreements_that(&algo::Agreement::carries_weights).front()));
  }
  if (query.rings) {
    throw ConfigError("rings average groups; gossip is between pairs");
  }
  if (plans->is_in_phases) {
    throw ConfigError("gossip is predicted on graphs that do not change");
  }
  // Refuses graphs that are not connected.
  gossip::accelerated_dynamics(plans->spectrum, candidate.n(), candidate.rate);
  gossip = std::make_unique<GossipForecaster>(
      *plans->schedule,
      packed(query, query.costs_with_link()),
      model_options(query, candidate),
      candidate.rate,
      query.steps);
}

double Planner::Trial::price(const Network& links) {
  if (network) {
    if (const auto factor = links.times_as_fast(*network)) return 1 / *factor;
  }
  network = links;
  exchanges.clear();
  const bool in_place = !candidate.agreement().sends_ahead();
  for (const GraphPlans::Step& step : plans->steps) {
    exchanges.push_back(
        step.plan ? plan_exchange(*step.plan, links, in_place)
                  : ring_exchange(*step.mixing, links));
  }
  return 1;
}

StepTimes Planner::Trial::times(const Costs& costs, bool in_parts) {
  if (gossip) return gossip->forecast(costs).times;
  const size_t count = plans->steps.size();
  if (!plans->is_in_phases) return times(costs, in_parts, 0, count);
  StepTimes sum;
  for (size_t phase = 0; phase < count; ++phase)
    sum += times(costs, in_parts, phase, phase + 1);
  return sum / static_cast<double>(count);
}

StepTimes Planner::Trial::times(
    const Costs& costs,
    bool in_parts,
    size_t begin,
    size_t end) {
  RuntimeModel model(costs, model_options(query, candidate));
  const double byte = price(model.network());
  const auto period = static_cast<int>(end - begin);
  const auto advance = [&](int step) -> StepTimes {
    const Exchange& exchange = exchanges[begin + step % period];
    if (in_parts) return model.advance(step, exchange, byte);
    return {.seconds = model.advance_alone(step, exchange, byte)};
  };
  const bool drawn = is_drawn(costs.compute, query.slow);
  const int wanted = drawn ? query.steps : std::min(query.steps, kWarmUp);
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
  const int last = first + whole_periods(wanted, period);
  StepTimes sum;
  for (int step = first; step < last; ++step)
    sum += advance(step);
  return sum / (last - first);
}

double Planner::Trial::steps_to_agree() const {
  const graph::Spectrum& spectrum = plans->spectrum;
  if (candidate.is_all_reduce()) return 0;
  if (gossip) {
    return gossip_steps_to_agree(spectrum, candidate.n(), candidate.rate);
  }
  const auto period =
      plans->is_in_phases ? 1.0 : static_cast<double>(plans->steps.size());
  if (spectrum.second_eigenvalue <= kExact) return period;
  if (spectrum.second_eigenvalue >= 1) return kUnlimited;
  return period * std::log(10) / -std::log(spectrum.second_eigenvalue);
}

Prediction Planner::Trial::predict(const Costs& costs) {
  Prediction prediction = candidate;
  if (gossip) {
    const GossipForecast forecast = gossip->forecast(costs);
    prediction.times = forecast.times;
    prediction.messages = forecast.words + forecast.averagings;
    prediction.copies = forecast.averagings;
    prediction.plan = "pairs";
    return prediction;
  }
  prediction.times = times(costs, true);
  const double share = candidate.agreement().planes_sent() /
                       static_cast<double>(plans->steps.size());
  std::vector<std::string> names;
  for (const GraphPlans::Step& step : plans->steps) {
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

Planner::Planner(const Query& query, int n)
    : query_(query),
      n_(n),
      pool_(std::make_unique<ThreadPool>(thread_count(query))) {
  // Every graph once, whatever is tried on it.
  struct Graph {
    std::shared_ptr<const GraphPlans> plans = {};
    std::string impossible = {};
  };
  std::vector<Prediction> all = sim::candidates(query_, n);
  std::vector<const graph::GraphOptions*> options;
  std::map<std::string, size_t> places;
  for (const Prediction& it : all) {
    const bool is_new = places.emplace(it.graph_label(), options.size()).second;
    if (is_new) options.push_back(&it.graph);
  }
  std::vector<Graph> graphs(options.size());
  pool_->for_each(std::ssize(graphs), [&](int64_t i, int) {
    try {
      graphs[i].plans =
          std::make_shared<GraphPlans>(make_plans(query_, *options[i]));
    } catch (const ConfigError& error) {
      graphs[i].impossible = error.what();
    }
  });
  std::vector<std::unique_ptr<Trial>> trials(all.size());
  pool_->for_each(std::ssize(all), [&](int64_t i, int) {
    const Graph& graph = graphs[places.at(all[i].graph_label())];
    all[i].impossible = graph.impossible;
    if (!graph.plans) return;
    try {
      all[i].spectrum = graph.plans->spectrum;
      trials[i] = std::make_unique<Trial>(query_, all[i], graph.plans);
    } catch (const ConfigError& error) {
      all[i].impossible = error.what();
    }
  });
  for (size_t i = 0; i < all.size(); ++i) {
    if (!trials[i]) {
      impossible_.push_back(std::move(all[i]));
      continue;
    }
    all[i].steps_to_agree = trials[i]->steps_to_agree();
    candidates_.push_back(std::move(all[i]));
    trials_.push_back(std::move(trials[i]));
  }
}

Planner::~Planner() = default;

std::vector<Prediction> Planner::predict() {
  const Costs costs = packed(query_, query_.costs_with_link());
  std::vector<Prediction> rows(trials_.size());
  pool_->for_each(std::ssize(rows), [&](int64_t i, int) {
    rows[i] = trials_[i]->predict(costs);
    rows[i].steps_to_agree = candidates_[i].steps_to_agree;
  });
  const auto central = std::ranges::find_if(rows, &Prediction::is_all_reduce);
  if (central == rows.end()) return rows;
  for (Prediction& row : rows)
    row.gain = central->times.seconds / row.times.seconds;
  return rows;
}

const std::vector<double>& Planner::seconds_at(double rate) {
  std::vector<double>& seconds = seconds_at_[rate];
  if (!seconds.empty()) return seconds;
  const Costs costs = packed(query_, costs_at(query_, n_, rate));
  seconds.resize(trials_.size());
  pool_->for_each(std::ssize(seconds), [&](int64_t i, int) {
    seconds[i] = trials_[i]->times(costs, false).seconds;
  });
  return seconds;
}

std::vector<Prediction> predict(
    const Query& query,
    const std::vector<int>& ns) {
  check(query);
  std::vector<Prediction> all;
  for (const int n : ns) {
    check_slow_workers(query.slow, n);
    const int workers_per_node = query.workers_per_node_in(n);
    if (query.link) check_links(*query.link, n, workers_per_node);
    // Links that are missing are the query's fault, not a graph's.
    Network(query.costs_with_link(), n, workers_per_node);
    Planner planner(query, n);
    std::ranges::move(planner.predict(), std::back_inserter(all));
    std::ranges::copy(planner.impossible(), std::back_inserter(all));
  }
  return all;
}

} // namespace grapevine::sim
