#include "algo/rules.h"

#include "algo/adam.h"
#include "algo/lion.h"
#include "algo/sgd.h"
#include "base/error.h"

#include <fmt/format.h>

namespace grapevine::algo {
namespace {

Rule make_sgd(const RuleOptions& options) {
  if (options.nesterov && options.momentum == 0) {
    throw ConfigError("nesterov needs a momentum above 0");
  }
  return std::make_shared<Sgd>(options);
}

template <DecayForm kForm>
Rule make_adam(const RuleOptions& options) {
  return std::make_shared<Adam>(options, kForm);
}

template <DecayForm kForm>
Rule make_accum_adam(const RuleOptions& options) {
  return std::make_shared<Adam>(options, kForm, options.window);
}

Rule make_lion(const RuleOptions& options) {
  return std::make_shared<Lion>(options);
}

// Values that were not read by the options themselves. Of each, the text form
// must be accepted.
void check_ranges(const RuleOptions& options) {
  RuleOptions checked;
  for (const auto& option : optimizer_options()) {
    if (option.type == "text") continue;
    try {
      option.set(checked, option.get_toml(options));
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}: {}", option.key, error.what()));
    }
  }
}

} // namespace

const std::vector<Option<RuleOptions>>& optimizer_options() {
  using O = RuleOptions;
  constexpr double kLeastEps = 1e-30; // still a float above 0
  static const std::vector<Option<O>> list = {
      number("momentum", &O::momentum, kFraction).says("sgd: momentum factor"),
      yes_no("nesterov", &O::nesterov).says("sgd: Nesterov momentum"),
      number("beta1", &O::beta1, kFraction)
          .says("adam…: decay rate of the first moment"),
      number("beta2", &O::beta2, kFraction)
          .says("adam…: decay rate of the second moment"),
      number("eps", &O::eps, {kLeastEps, kNoBound})
          .says("adam…: added to the denominator"),
      integer("window", &O::window, {1, 1000000})
          .says("accumadam…: steps whose mean gradient updates the moments"),
      number("weight-decay", &O::weight_decay, kAtLeastZero)
          .says("weight decay: an L2 penalty, or decoupled in adamw and alike"),
      choice("decay", &O::decay_everything, "matrices", "all")
          .says("what decays: all but norms and biases, or everything"),
  };
  return list;
}

const std::vector<RuleEntry>& optimizer_table() {
  using Defaults = std::vector<std::pair<std::string, std::string>>;
  static const Defaults adam_lr = {{"lr", "0.001"}};
  constexpr DecayForm kL2 = DecayForm::kL2;
  constexpr DecayForm kDecoupled = DecayForm::kDecoupled;
  static const std::vector<std::string> moments = {"beta1", "beta2", "eps"};
  static const std::vector<std::string> windows = {
      "beta1",
      "beta2",
      "eps",
      "window"};
  static const std::vector<RuleEntry> table = {
      {"sgd",
       "stochastic gradient descent with momentum",
       {"momentum", "nesterov"},
       {{"lr", "0.05"}},
       make_sgd},
      {"adam",
       "Adam, weight decay as an L2 penalty",
       moments,
       adam_lr,
       make_adam<kL2>},
      {"adamw",
       "Adam with decoupled weight decay",
       moments,
       adam_lr,
       make_adam<kDecoupled>},
      {"accumadam",
       "Adam whose moments accumulate over windows of gradients",
       windows,
       adam_lr,
       make_accum_adam<kL2>},
      {"accumadamw",
       "accumadam with decoupled weight decay",
       windows,
       adam_lr,
       make_accum_adam<kDecoupled>},
      {"lion",
       "sign of the interpolated momentum, decoupled weight decay",
       {"beta1", "beta2"},
       {{"lr", "0.0001"}, {"beta2", "0.99"}},
       make_lion},
  };
  return table;
}

const RuleEntry& find_optimizer(const std::string& name) {
  return find_row("optimizer", name, optimizer_table());
}

Rule make_rule(const RuleOptions& options) {
  const RuleEntry& entry = find_optimizer(options.name);
  check_ranges(options);
  return entry.make(options);
}

std::string describe(const RuleOptions& options) {
  const RuleEntry& entry = find_optimizer(options.name);
  std::string text = options.name;
  for (const auto& option : optimizer_options()) {
    if (!takes(entry, option.key)) continue;
    std::string value = option.get_toml(options);
    if (option.type == "yes/no") value = value == "true" ? "yes" : "no";
    text += fmt::format(", {} {}", option.key, value);
  }
  if (options.weight_decay > 0) {
    text += fmt::format(
        ", decay {}{}",
        options.weight_decay,
        options.decay_everything ? " of everything" : "");
  }
  return text;
}

} // namespace grapevine::algo
