#include "base/error.h"
#include "base/link_options.h"
#include "spec/spec_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace grapevine::spec {
namespace {

// Not of graphs alone: seeds are used everywhere, and nodes decide how any
// group average is taken.
bool is_shared(const std::string& key) {
  return key == "seed" || key == "workers-per-node";
}

using Keys = std::vector<std::string>;

class Validator {
 public:
  explicit Validator(const ParsedSpec& parsed)
      : spec_(parsed.spec),
        origins_(parsed.origins),
        agreement_(algo::find_agreement(spec_.agreement)) {}

  void run() const {
    check_agreement();
    check_data();
    check_needed_choices();
    check_taken("optimizer", spec_.optimizer, algo::optimizer_table());
    check_local_rule();
    check_taken("graph", spec_.graph, graph::graph_table());
    check_schedule();
    check_ada_auto();
    check_taken("agreement", spec_.agreement, algo::agreement_table());
    check_asynchronous();
    check_clock();
  }

 private:
  // "--k: reason" with the origins of those keys that were given, else with
  // the first key itself.
  [[noreturn]] void refuse(const Keys& keys, const std::string& reason) const {
    Keys places;
    for (const std::string& key : keys) {
      if (is_given(key)) places.push_back(place_of(origins_, key));
    }
    if (places.empty()) places = {keys.front()};
    throw ConfigError(fmt::format("{}: {}", comma_list(places), reason));
  }

  // Blames the keys for what a function refuses.
  template <typename Function>
  auto blame(const Keys& keys, const Function& function) const {
    try {
      return function();
    } catch (const ConfigError& error) {
      refuse(keys, error.what());
    }
  }

  bool is_given(const std::string& key) const {
    return origins_.count(key) > 0;
  }

  // The options of a row are to blame rather than its name; the name only if
  // none of them was given.
  Keys given_or(const std::string& name, Keys keys) const {
    std::erase_if(keys, [&](const std::string& key) { return !is_given(key); });
    return keys.empty() ? Keys{name} : keys;
  }

  bool has_default(const std::string& key) const {
    const SpecEntry& option = *find_entry(key);
    return option.get_toml(spec_) == option.get_toml(Spec());
  }

  void check_agreement() const {
    if (!agreement_.allows_clipping && spec_.clip > 0) {
      refuse(
          {"clip", "agreement"},
          fmt::format(
              "{} tracks the mean gradient of all workers; clipping each "
              "worker's gradient would bias it",
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

  void check_data() const {
    if (spec_.split != "file" || spec_.partial != "keep") return;
    refuse(
        {"partial", "split"},
        "workers have different numbers of samples if split by file, so there "
        "is no common last step; use partial = drop");
  }

  void check_needed_choices() const {
    for (const SpecEntry& option : spec_table()) {
      if (option.needs_key.empty() || has_default(option.key)) continue;
      const std::string needed = toml_text(option.needs_value);
      const std::string chosen = find_entry(option.needs_key)->get_toml(spec_);
      if (chosen == needed) continue;
      refuse(
          {option.key},
          fmt::format(
              "for {} = {} only, not for {}",
              option.needs_key,
              option.needs_value,
              chosen.substr(1, chosen.size() - 2)));
    }
  }

  // An option that the chosen row of a table (a graph, an optimizer, an
  // agreement) would ignore is a mistake, unless it has its default value, as
  // in the spec.toml of a run.
  template <typename Table>
  void check_taken(
      const std::string& what,
      const std::string& name,
      const Table& table) const {
    const auto& chosen =
        blame({what}, [&] { return &find_row(what, name, table); });
    for (const auto& row : table) {
      for (const std::string& key : row.options) {
        if (is_shared(key) || takes(*chosen, key) || has_default(key)) continue;
        Keys takers;
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
  }

  void check_local_rule() const {
    Keys keys = algo::find_optimizer(spec_.optimizer).options;
    std::ranges::reverse(keys);
    blame(given_or("optimizer", keys), [&] {
      return algo::make_rule(rule_options(spec_));
    });
    if (!std::ranges::is_sorted(spec_.lr_steps)) {
      refuse({"lr-steps"}, "the fractions must be in ascending order");
    }
    if (spec_.warmup > 0 && spec_.warmup_steps > 0) {
      refuse({"warmup-steps", "warmup"}, "give only one of them");
    }
  }

  void check_schedule() const {
    Keys keys = find_row("graph", spec_.graph, graph::graph_table()).options;
    std::erase(keys, "seed");
    keys.emplace_back("n");
    const auto schedule = blame(given_or("graph", keys), [&] {
      return graph::make_schedule(graph_options(spec_));
    });
    const bool is_biased = schedule->weights(0) != nullptr;
    if (!is_biased || agreement_.graph == algo::Agreement::Graph::kAny) return;
    refuse(
        {"graph", "agreement"},
        fmt::format(
            "graph {} is not doubly stochastic, so {} would bias the average; "
            "use --agreement {}",
            spec_.graph,
            agreement_.name,
            one_of(algo::agreements_that(&algo::Agreement::carries_weights))));
  }

  void check_ada_auto() const {
    if (spec_.graph != "ada" || spec_.ada != "auto") return;
    const char* reason = agreement_.is_asynchronous()
                             ? "has no common steps in which the spread of the "
                               "replicas could be measured"
                         : agreement_.sends_ahead()
                             ? "sends a step ahead, before ada = auto knows "
                               "that step's graph"
                             : nullptr;
    if (reason == nullptr) return;
    refuse(
        {"ada", "agreement"},
        fmt::format("{} {}; use ada = epoch or step", agreement_.name, reason));
  }

  void check_asynchronous() const {
    if (!agreement_.is_asynchronous()) return;
    if (spec_.buffers == "averaged") {
      refuse(
          {"buffers", "agreement"},
          fmt::format(
              "{} averages parameters only; batch-norm statistics stay local",
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
          "the virtual clock needs the compute time of a step, since a "
          "measured one would not be reproducible; give compute (like 12ms) or "
          "costs (a file of `plan measure`)");
    }
    blame({"slow", "n"}, [&] {
      check_slow_workers(parse_slow(spec_.slow), spec_.n);
    });
    if (spec_.link.empty()) return;
    blame({"link", "n", "workers-per-node"}, [&] {
      check_links(
          parse_link(spec_.link),
          spec_.n,
          std::max(1, spec_.workers_per_node));
    });
  }

  const Spec& spec_;
  const Origins& origins_;
  const algo::Agreement& agreement_;
};

} // namespace

graph::GraphOptions graph_options(const Spec& spec) {
  graph::GraphOptions options = spec;
  options.name = spec.graph;
  options.workers_per_node = std::max(1, spec.workers_per_node);
  return options;
}

algo::RuleOptions rule_options(const Spec& spec) {
  algo::RuleOptions options = spec;
  options.name = spec.optimizer;
  return options;
}

void validate(const ParsedSpec& parsed) {
  Validator(parsed).run();
}

} // namespace grapevine::spec
