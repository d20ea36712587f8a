#include "algo/agreement.h"
#include "algo/rules.h"
#include "base/error.h"
#include "base/link_options.h"
#include "base/names.h"
#include "graph/schedule.h"
#include "spec/graph_options.h"
#include "spec/rule_options.h"
#include "spec/spec_table.h"
#include "spec/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>

namespace grapevine::spec {
namespace {

// Not the graph's alone: seeds are everywhere, and nodes decide how any group
// average is taken.
bool is_shared(const std::string& key) {
  return key == "seed" || key == "workers-per-node";
}

// Keys that belong to some entries of a table (graphs, optimizers) and to
// nothing else.
template <typename Table>
std::vector<std::string> keys_of(const Table& table) {
  std::vector<std::string> keys;
  for (const auto& entry : table) {
    for (const std::string& key : entry.options) {
      const bool is_new =
          std::find(keys.begin(), keys.end(), key) == keys.end();
      if (is_new && !is_shared(key)) keys.push_back(key);
    }
  }
  return keys;
}

template <typename Entry>
bool takes(const Entry& entry, const std::string& key) {
  const auto& options = entry.options;
  return std::find(options.begin(), options.end(), key) != options.end();
}

class Validator {
 public:
  explicit Validator(const ParsedSpec& parsed)
      : spec_(parsed.spec),
        origins_(parsed.origins),
        agreement_(algo::find_agreement(spec_.agreement)) {}

  void run() const {
    check_agreement();
    check_split();
    check_images();
    check_options("optimizer", spec_.optimizer, algo::optimizer_table());
    check_local_rule();
    check_options("graph", spec_.graph, graph::graph_table());
    check_schedule();
    check_ada_auto();
    check_lr();
    check_gossip();
    check_clock();
  }

 private:
  // "--k: reason" with the origins of those keys that were given, else with
  // the keys themselves.
  [[noreturn]] void refuse(
      const std::vector<std::string>& keys,
      const std::string& reason) const {
    std::vector<std::string> places;
    for (const std::string& key : keys) {
      const auto origin = origins_.find(key);
      if (origin == origins_.end()) continue;
      const bool is_flag = origin->second == flag_of(key);
      const std::string place =
          is_flag ? origin->second : fmt::format("{}: {}", origin->second, key);
      places.push_back(place);
    }
    if (places.empty()) places = {keys.front()};
    throw ConfigError(fmt::format("{}: {}", comma_list(places), reason));
  }

  void check_agreement() const {
    if (!agreement_.allows_clipping && spec_.clip > 0) {
      refuse(
          {"clip", "agreement"},
          fmt::format(
              "{} follows the mean of all workers' gradients; clipped one by "
              "one their mean is another, and so is its optimum",
              agreement_.name));
    }
    if (!agreement_.is_centralized() || spec_.graph == "complete") return;
    refuse(
        {"graph", "agreement"},
        fmt::format(
            "{} averages gradients over all workers, so its graph is complete, "
            "not {}; use agreement {} for a {}",
            agreement_.name,
            spec_.graph,
            algo::kDefaultAgreement,
            spec_.graph));
  }

  void check_split() const {
    if (spec_.split != "dirichlet" && spec_.alpha != Spec().alpha) {
      refuse(
          {"alpha"},
          fmt::format("for split = dirichlet only, not for {}", spec_.split));
    }
    if (spec_.split == "file" && spec_.partial == "keep") {
      refuse(
          {"partial", "split"},
          "by file workers' numbers of samples differ, so there is no last "
          "step of everybody's rest to keep; use partial = drop");
    }
  }

  void check_images() const {
    if (spec_.image_size != Spec().image_size && spec_.data != "imagenet") {
      refuse(
          {"image-size"},
          fmt::format("for data = imagenet only, not for {}", spec_.data));
    }
    if (spec_.augment == "crop-flip-cutout" || spec_.cutout == Spec().cutout)
      return;
    refuse(
        {"cutout"},
        fmt::format(
            "for augment = crop-flip-cutout only, not for {}",
            spec_.augment));
  }

  void check_local_rule() const {
    if (spec_.nesterov && spec_.momentum == 0) {
      refuse({"nesterov", "momentum"}, "nesterov needs a momentum above 0");
    }
    if (!std::is_sorted(spec_.lr_steps.begin(), spec_.lr_steps.end())) {
      refuse({"lr-steps"}, "the fractions must not fall");
    }
  }

  // The entry of a table that the spec has chosen by this key.
  template <typename Table>
  const auto& chosen(
      const std::string& key,
      const std::string& name,
      const Table& table) const {
    std::vector<std::string> names;
    for (const auto& entry : table) {
      if (entry.name == name) return entry;
      names.push_back(entry.name);
    }
    refuse({key}, unknown_name(key, name, names));
  }

  // An option that the chosen graph or optimizer would ignore is a mistake,
  // unless it has its default value, as in the spec.toml of a run.
  template <typename Table>
  void check_options(
      const std::string& what,
      const std::string& name,
      const Table& table) const {
    const auto& entry = chosen(what, name, table);
    for (const std::string& key : keys_of(table)) {
      if (takes(entry, key) || has_default(key)) continue;
      std::vector<std::string> takers;
      for (const auto& other : table) {
        if (takes(other, key)) takers.push_back(other.name);
      }
      refuse(
          {key},
          fmt::format(
              "the {} '{}' takes no {} (it is for {})",
              what,
              name,
              key,
              one_of(takers)));
    }
  }

  void check_schedule() const {
    std::unique_ptr<graph::Schedule> schedule;
    try {
      schedule = graph::make_schedule(graph_options(spec_));
    } catch (const ConfigError& error) {
      const auto& entry = chosen("graph", spec_.graph, graph::graph_table());
      std::vector<std::string> keys = entry.options;
      std::erase(keys, "seed");
      keys.push_back("n");
      keys.push_back("graph");
      refuse(given_first(keys), error.what());
    }
    if (schedule->weights(0)) check_takes_weights();
  }

  void check_takes_weights() const {
    if (agreement_.graph == algo::Agreement::Graph::kAny) return;
    refuse(
        {"graph", "agreement"},
        fmt::format(
            "not everybody sends to and hears from equally many, so {} would "
            "move the mean; use agreement {}",
            agreement_.name,
            one_of(algo::agreements_that(&algo::Agreement::carries_weights))));
  }

  bool has_default(const std::string& key) const {
    const SpecEntry& option = *find_entry(key);
    return option.get_toml(spec_) == option.get_toml(Spec());
  }

  void check_ada_auto() const {
    if (spec_.ada == "auto" && !agreement_.is_asynchronous() &&
        agreement_.sends_ahead()) {
      refuse(
          {"ada", "agreement"},
          fmt::format(
              "{} sends a step ahead, before ada = auto knows that step's "
              "graph; use ada = epoch or step",
              spec_.agreement));
    }
    if (spec_.ada == "auto") return;
    for (const std::string key : {"ada-level", "ada-every"}) {
      if (has_default(key)) continue;
      refuse({key}, fmt::format("for ada = auto only, not for {}", spec_.ada));
    }
  }

  void check_lr() const {
    if (spec_.warmup > 0 && spec_.warmup_steps > 0) {
      refuse({"warmup-steps", "warmup"}, "give one of them");
    }
    if (spec_.lr_end > 0 && spec_.lr_schedule != "cosine") {
      refuse(
          {"lr-end", "lr-schedule"},
          fmt::format("for cosine only, not for {}", spec_.lr_schedule));
    }
  }

  void check_gossip() const {
    for (const algo::Agreement& other : algo::agreement_table()) {
      for (const std::string& key : other.options) {
        if (takes(agreement_, key) || has_default(key)) continue;
        refuse(
            {key, "agreement"},
            fmt::format(
                "for the agreement {} only, not for {}",
                other.name,
                agreement_.name));
      }
    }
    if (!agreement_.is_asynchronous()) return;
    if (spec_.graph == "ada" && spec_.ada == "auto") {
      refuse(
          {"ada", "agreement"},
          fmt::format(
              "{} has no steps that all workers take together, in which their "
              "spread could be measured; use ada by epoch or step",
              agreement_.name));
    }
    if (spec_.buffers == "averaged") {
      refuse(
          {"buffers", "agreement"},
          fmt::format(
              "{} averages parameters alone; batch-norm statistics stay local",
              agreement_.name));
    }
    if (spec_.max_lag >= 0 && spec_.rate == 0) {
      refuse({"max-lag", "rate"}, "there are no averagings to wait for");
    }
  }

  void check_clock() const {
    if (!has_virtual_clock(spec_)) return;
    if (spec_.compute.empty() && spec_.costs.empty()) {
      refuse(
          {"link", "slow"},
          "the virtual clock must know what a step computes, and a "
          "measurement would not repeat; give compute (like 12ms) or costs "
          "(a file of `plan measure`)");
    }
    try {
      check_slow_workers(parse_slow(spec_.slow), spec_.n);
    } catch (const ConfigError& error) {
      refuse({"slow", "n"}, error.what());
    }
    if (spec_.link.empty()) return;
    try {
      check_links(
          parse_link(spec_.link),
          spec_.n,
          std::max(1, spec_.workers_per_node));
    } catch (const ConfigError& error) {
      refuse({"link", "n", "workers-per-node"}, error.what());
    }
  }

  // The graph's own options and n are to blame rather than its name; the name
  // only where nothing else was given.
  std::vector<std::string> given_first(std::vector<std::string> keys) const {
    std::vector<std::string> given;
    for (const std::string& key : keys) {
      if (origins_.count(key) && (key != "graph" || given.empty())) {
        given.push_back(key);
      }
    }
    return given.empty() ? std::vector<std::string>{"graph"} : given;
  }

  const Spec& spec_;
  const Origins& origins_;
  const algo::Agreement& agreement_;
};

} // namespace

graph::GraphOptions graph_options(const Spec& spec) {
  return {
      .name = spec.graph,
      .n = spec.n,
      .seed = spec.seed,
      .rows = spec.rows,
      .k = spec.k,
      .edges_file = spec.edges,
      .workers_per_node = std::max(1, spec.workers_per_node),
      .k0 = spec.k0,
      .gamma = spec.gamma,
      .k_min = spec.k_min,
      .ada = spec.ada,
      .epochs = spec.epochs};
}

algo::RuleOptions rule_options(const Spec& spec) {
  return {
      .name = spec.optimizer,
      .momentum = spec.momentum,
      .nesterov = spec.nesterov,
      .beta1 = spec.beta1,
      .beta2 = spec.beta2,
      .eps = spec.eps,
      .window = spec.window,
      .weight_decay = spec.weight_decay,
      .decay_everything = spec.decay == "all"};
}

void validate(const ParsedSpec& parsed) {
  Validator(parsed).run();
}

} // namespace grapevine::spec
