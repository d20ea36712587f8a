#include "algo/rules.h"
#include "base/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

namespace grapevine::algo {
namespace {

std::string refusal(const RuleOptions& options) {
  try {
    make_rule(options);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(OptimizerTable, MakesEachOfItsRules) {
  std::set<std::string> names;
  for (const RuleEntry& entry : optimizer_table()) {
    EXPECT_TRUE(names.insert(entry.name).second);
    EXPECT_FALSE(entry.summary.empty());
    EXPECT_EQ(entry.defaults.at(0).first, "lr");
    EXPECT_NE(make_rule({.name = entry.name}), nullptr);
    EXPECT_EQ(find_optimizer(entry.name).summary, entry.summary);
  }
  EXPECT_EQ(
      names,
      (std::set<std::string>{
          "sgd",
          "adam",
          "adamw",
          "accumadam",
          "accumadamw",
          "lion"}));
}

TEST(OptimizerTable, RefusesUnknownNamesWithTheNearest) {
  EXPECT_EQ(
      refusal({.name = "adamx"}),
      "unknown optimizer 'adamx'; did you mean 'adam'? (allowed: sgd, adam, "
      "adamw, accumadam, accumadamw or lion)");
}

TEST(OptimizerTable, RefusesValuesOutOfRange) {
  EXPECT_EQ(
      refusal({.name = "adam", .beta1 = 1}),
      "beta1: expected a number of at least 0 and below 1, got '1'");
  EXPECT_EQ(
      refusal({.name = "adam", .beta2 = std::nan("")}),
      "beta2: expected a number of at least 0 and below 1, got 'nan'");
  EXPECT_EQ(
      refusal({.name = "adamw", .eps = 0}),
      "eps: expected a number of at least 1e-30, got '0'");
  EXPECT_EQ(
      refusal({.name = "accumadam", .window = 0}),
      "window: expected an integer from 1 to 1000000, got '0'");
  EXPECT_EQ(
      refusal({.momentum = 0, .nesterov = true}),
      "nesterov needs a momentum above 0");
  EXPECT_EQ(
      refusal({.weight_decay = -1}),
      "weight-decay: expected a number of at least 0, got '-1'");
}

TEST(OptimizerTable, DescriptionsTellRulesApart) {
  EXPECT_EQ(describe({}), "sgd, momentum 0.9, nesterov no");
  EXPECT_EQ(
      describe({.name = "accumadamw", .weight_decay = 0.1}),
      "accumadamw, beta1 0.9, beta2 0.999, eps 1e-08, window 4, decay 0.1");
  const RuleOptions plain{.name = "accumadam", .weight_decay = 0.1};
  const std::vector<std::function<void(RuleOptions&)>> changes = {
      [](RuleOptions& o) { o.name = "accumadamw"; },
      [](RuleOptions& o) { o.beta1 = 0.8; },
      [](RuleOptions& o) { o.beta2 = 0.98; },
      [](RuleOptions& o) { o.eps = 1e-9; },
      [](RuleOptions& o) { o.window = 8; },
      [](RuleOptions& o) { o.weight_decay = 0.2; },
      [](RuleOptions& o) { o.decay_everything = true; }};
  for (const auto& change : changes) {
    RuleOptions other = plain;
    change(other);
    EXPECT_NE(describe(other), describe(plain)) << describe(other);
  }
}

} // namespace
} // namespace grapevine::algo
