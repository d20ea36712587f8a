#include "algo/rules.h"

#include "algo/accum_adam.h"
#include "algo/adam.h"
#include "algo/sgd.h"
#include "base/error.h"
#include "base/names.h"

#include <fmt/format.h>

#include <functional>

namespace grapevine::algo {
namespace {

using Rule = std::shared_ptr<const LocalRule>;

struct Maker {
  RuleEntry entry;
  std::function<Rule(const RuleOptions&)> make;
};

Rule make_sgd(const RuleOptions& options) {
  return std::make_shared<Sgd>(SgdOptions{
      .momentum = options.momentum,
      .nesterov = options.nesterov,
      .weight_decay = options.weight_decay,
      .decay_everything = options.decay_everything});
}

AdamOptions adam_options(const RuleOptions& options, DecayForm form) {
  return {
      .beta1 = options.beta1,
      .beta2 = options.beta2,
      .eps = options.eps,
      .weight_decay = options.weight_decay,
      .decay_form = form,
      .decay_everything = options.decay_everything};
}

template <DecayForm kForm>
Rule make_adam(const RuleOptions& options) {
  return std::make_shared<Adam>(adam_options(options, kForm));
}

template <DecayForm kForm>
Rule make_accum_adam(const RuleOptions& options) {
  return std::make_shared<AccumAdam>(
      adam_options(options, kForm),
      options.window);
}

const std::vector<Maker>& makers() {
  constexpr double kAdamLr = 0.001;
  static const std::vector<Maker> table = {
      {{"sgd",
        "gradient descent with momentum",
        {"momentum", "nesterov"},
        0.05},
       make_sgd},
      {{"adam",
        "Adam, decay as an L2 penalty",
        {"beta1", "beta2", "eps"},
        kAdamLr},
       make_adam<DecayForm::kL2>},
      {{"adamw",
        "Adam, decay of the parameters themselves",
        {"beta1", "beta2", "eps"},
        kAdamLr},
       make_adam<DecayForm::kDecoupled>},
      {{"accumadam",
        "Adam whose moments take in windows of gradients",
        {"beta1", "beta2", "eps", "window"},
        kAdamLr},
       make_accum_adam<DecayForm::kL2>},
      {{"accumadamw",
        "accumadam with adamw's decay",
        {"beta1", "beta2", "eps", "window"},
        kAdamLr},
       make_accum_adam<DecayForm::kDecoupled>},
  };
  return table;
}

const Maker& find_maker(const std::string& name) {
  std::vector<std::string> names;
  for (const Maker& maker : makers()) {
    if (maker.entry.name == name) return maker;
    names.push_back(maker.entry.name);
  }
  throw ConfigError(unknown_name("optimizer", name, names));
}

void check(bool fine, const char* key, const char* range, double value) {
  if (fine) return;
  throw ConfigError(
      fmt::format("{}: expected a number {}, got {}", key, range, value));
}

// Written so that what is not a number is refused too.
void check_ranges(const RuleOptions& o) {
  constexpr const char* kShare = "of at least 0 and below 1";
  check(o.momentum >= 0 && o.momentum < 1, "momentum", kShare, o.momentum);
  check(o.beta1 >= 0 && o.beta1 < 1, "beta1", kShare, o.beta1);
  check(o.beta2 >= 0 && o.beta2 < 1, "beta2", kShare, o.beta2);
  check(static_cast<float>(o.eps) > 0, "eps", "above 0", o.eps);
  check(
      o.window >= 1,
      "window",
      "of at least 1",
      static_cast<double>(o.window));
  check(o.weight_decay >= 0, "weight decay", "of at least 0", o.weight_decay);
  check(
      !o.nesterov || o.momentum > 0,
      "momentum",
      "above 0 with nesterov",
      o.momentum);
}

std::string value_text(const RuleOptions& options, const std::string& key) {
  if (key == "momentum") return fmt::format("{}", options.momentum);
  if (key == "nesterov") return options.nesterov ? "yes" : "no";
  if (key == "beta1") return fmt::format("{}", options.beta1);
  if (key == "beta2") return fmt::format("{}", options.beta2);
  if (key == "eps") return fmt::format("{}", options.eps);
  return fmt::format("{}", options.window);
}

} // namespace

const std::vector<RuleEntry>& optimizer_table() {
  static const std::vector<RuleEntry> table = [] {
    std::vector<RuleEntry> entries;
    for (const Maker& maker : makers())
      entries.push_back(maker.entry);
    return entries;
  }();
  return table;
}

const RuleEntry& find_optimizer(const std::string& name) {
  return find_maker(name).entry;
}

std::shared_ptr<const LocalRule> make_rule(const RuleOptions& options) {
  const Maker& maker = find_maker(options.name);
  check_ranges(options);
  return maker.make(options);
}

std::string describe(const RuleOptions& options) {
  std::string text = options.name;
  for (const std::string& key : find_optimizer(options.name).options)
    text += fmt::format(", {} {}", key, value_text(options, key));
  if (options.weight_decay > 0) {
    text += fmt::format(
        ", decay {}{}",
        options.weight_decay,
        options.decay_everything ? " of everything" : "");
  }
  return text;
}

} // namespace grapevine::algo
