// The optimizers by name. A new one is a file with its class, a row of
// optimizer_table() in rules.cpp and, for an option of its own, a field here
// and a line in optimizer_options(). The parser, --help, validation and the
// library read these.
#pragma once

#include "algo/local_rule.h"
#include "base/option.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace grapevine::algo {

// What names an optimizer. Fields that it does not use are ignored.
struct RuleOptions {
  std::string name = "sgd";
  double momentum = 0.9;         // sgd
  bool nesterov = false;         // sgd
  double beta1 = 0.9;            // adam and its variants
  double beta2 = 0.999;          // adam and its variants
  double eps = 1e-8;             // adam and its variants
  int64_t window = 4;            // accumadam, accumadamw: steps
  double weight_decay = 0;       // L2, or decoupled in the forms with a W
  bool decay_everything = false; // biases and norms too
};

// The options, but for the name, in the order of --help.
const std::vector<Option<RuleOptions>>& optimizer_options();

using Rule = std::shared_ptr<const LocalRule>;

struct RuleEntry {
  std::string name;
  std::string summary; // one line for --help
  // Names of those options that not every optimizer takes.
  std::vector<std::string> options;
  // Of lr and of others of its options, unless given.
  std::vector<std::pair<std::string, std::string>> defaults;
  Rule (*make)(const RuleOptions&);
};

// In the order in which they are documented.
const std::vector<RuleEntry>& optimizer_table();
// Throws ConfigError for an unknown name, with the nearest.
const RuleEntry& find_optimizer(const std::string& name);

// Throws ConfigError: an unknown name, or a value out of its range.
Rule make_rule(const RuleOptions& options);

// Returns "adamw, beta1 0.9, beta2 0.999, eps 1e-08, decay 0.1": all that tells
// two rules apart.
std::string describe(const RuleOptions& options);

} // namespace grapevine::algo
