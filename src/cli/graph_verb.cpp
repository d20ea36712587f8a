#include "algo/agreement.h"
#include "base/error.h"
#include "base/names.h"
#include "base/option_values.h"
#include "cli/console.h"
#include "cli/program.h"
#include "cli/spec_flags.h"
#include "cli/table.h"
#include "cli/units.h"
#include "cli/verb.h"
#include "graph/cyclic_schedule.h"
#include "graph/draw.h"
#include "graph/schedule.h"
#include "graph/spectrum.h"
#include "mix/plan.h"
#include "record/atomic_file.h"
#include "spec/spec.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace grapevine::cli {
namespace {

// How well a schedule mixes and what it costs.

struct GraphQuestion {
  std::string name;
  int64_t model_bytes = 100'000'000;
  int workers_per_node = 1;
  // One step alone; otherwise all that the schedule's analysis looks at.
  std::optional<graph::StepTime> moment;
};

struct GraphFacts {
  std::string name;
  int n;
  graph::Spectrum spectrum;
  std::string plan;             // names of the plans in use, "groups, identity"
  std::string plan_description; // of the first step
  // Sent by one worker, the largest; mean over the steps looked at.
  double messages;
  double copies;
  // Sent by one node to others, the same way; as copies for nodes of one.
  double node_copies;
};

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

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

nlohmann::ordered_json or_null(const std::optional<double>& value) {
  if (value) return *value;
  return nullptr;
}

std::string or_dash(const std::optional<double>& value) {
  return value ? human_number(*value) : "–";
}

nlohmann::ordered_json as_json(const GraphFacts& facts) {
  return {
      {"name", facts.name},
      {"n", facts.n},
      {"degree", facts.spectrum.degree},
      {"second_eigenvalue", facts.spectrum.second_eigenvalue},
      {"spectral_gap", facts.spectrum.spectral_gap},
      {"chi1", or_null(facts.spectrum.chi1)},
      {"chi2", or_null(facts.spectrum.chi2)},
      {"eta", or_null(facts.spectrum.eta)},
      {"alpha_tilde", or_null(facts.spectrum.alpha_tilde)},
      {"plan", facts.plan},
      {"messages_per_step", facts.messages},
      {"model_copies_per_step", facts.copies},
      {"node_copies_per_step", facts.node_copies}};
}

std::string as_text(const GraphFacts& facts) {
  Table table;
  table.add_row({"graph", fmt::format("{}, {} workers", facts.name, facts.n)});
  table.add_row({"degree", human_number(facts.spectrum.degree)});
  table.add_row(
      {"second eigenvalue",
       fmt::format("{:.6g}", facts.spectrum.second_eigenvalue)});
  table.add_row(
      {"spectral gap", fmt::format("{:.6g}", facts.spectrum.spectral_gap)});
  table.add_row(
      {"chi1, chi2",
       or_dash(facts.spectrum.chi1) + ", " + or_dash(facts.spectrum.chi2)});
  table.add_row(
      {"eta, alpha~",
       or_dash(facts.spectrum.eta) + ", " +
           or_dash(facts.spectrum.alpha_tilde)});
  table.add_row({"plan", facts.plan});
  table.add_row(
      {"a worker sends",
       fmt::format(
           "{} messages, {} model copies a step",
           human_number(facts.messages),
           human_number(facts.copies))});
  table.add_row(
      {"a node sends",
       fmt::format(
           "{} model copies a step to other nodes",
           human_number(facts.node_copies))});
  return table.text() + "\n" + facts.plan_description + "\n";
}

class GraphVerb : public Verb {
 public:
  void declare(CLI::App& app) override {
    app.add_option("NAME", name_, "the graph; see below");
    std::vector<std::string> keys = {"n", "epochs", "seed"};
    for (const auto& option : graph::graph_options()) {
      if (option.needs_key.empty()) keys.push_back(option.key);
    }
    flags_.declare(app, keys);
    app.add_option("--step", step_, "look at this step alone, from 0")
        ->type_name("N");
    app.add_option("--epoch", epoch_, "look at this epoch alone, from 0")
        ->type_name("N");
    app.add_option("--model-bytes", bytes_, "size of the model, like 25MB")
        ->type_name("BYTES")
        ->default_str(bytes_);
    app.add_option("--svg", svg_, "draw it into this file");
    app.footer(names_footer());
  }

  int run(bool json) override {
    const graph::GraphOptions graph = options();
    const auto schedule = graph::make_schedule(graph);
    GraphQuestion question;
    question.workers_per_node = graph.workers_per_node;
    question.name = name_;
    question.model_bytes =
        read("--model-bytes", bytes_, parse_bytes, {1, kMost});
    if (!step_.empty() || !epoch_.empty()) question.moment = moment();
    const GraphFacts facts = graph_facts(*schedule, question);
    if (!svg_.empty()) draw(*schedule, question);
    if (json) {
      print_json(as_json(facts));
    } else {
      print_text(as_text(facts));
    }
    return kDone;
  }

 private:
  graph::GraphOptions options() {
    const auto names = names_of(graph::graph_table());
    if (name_.empty()) {
      throw ConfigError(
          fmt::format("graph: give the name of a graph ({})", one_of(names)));
    }
    check_choice("graph", name_, names);
    auto flags = flags_.given();
    flags.emplace_back("graph", name_);
    // One that takes any graph.
    flags.emplace_back(
        "agreement",
        algo::agreements_that(&algo::Agreement::carries_weights).front());
    const spec::ParsedSpec parsed = spec::parse_spec("", "", flags);
    spec::validate(parsed);
    return spec::graph_options(parsed.spec);
  }

  template <typename Parser>
  static int64_t read(
      const std::string& flag,
      const std::string& text,
      Parser parser,
      IntegerRange range) {
    try {
      return parser(text, range);
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}: {}", flag, error.what()));
    }
  }

  graph::StepTime moment() const {
    graph::StepTime moment;
    if (!step_.empty()) {
      moment.step = read("--step", step_, parse_integer, {0, kMost});
    }
    if (!epoch_.empty()) {
      moment.epoch = read("--epoch", epoch_, parse_integer, {0, kMost});
    }
    return moment;
  }

  void draw(const graph::Schedule& schedule, const GraphQuestion& question) {
    const auto mixing =
        schedule.at(question.moment.value_or(graph::StepTime{}));
    record::write_atomically(svg_, graph::draw_svg(*mixing, {.title = name_}));
  }

  std::string name_;
  std::string step_;
  std::string epoch_;
  std::string bytes_ = "100MB";
  std::string svg_;
  SpecFlags flags_;
};

} // namespace

std::unique_ptr<Verb> make_graph_verb() {
  return std::make_unique<GraphVerb>();
}

} // namespace grapevine::cli
