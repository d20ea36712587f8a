// The local rules by name. A new one is a class, its test and a line in this
// table, which serves the parser, --help, validation and the library.
#pragma once

#include "algo/local_rule.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace grapevine::algo {

// What names a rule. Fields that it does not use are ignored.
struct RuleOptions {
  std::string name = "sgd";
  double momentum = 0.9;         // sgd
  bool nesterov = false;         // sgd
  double beta1 = 0.9;            // adam and its kin
  double beta2 = 0.999;          // adam and its kin
  double eps = 1e-8;             // adam and its kin
  int64_t window = 4;            // accumadam, accumadamw: steps
  double weight_decay = 0;       // L2, or decoupled in the forms with a W
  bool decay_everything = false; // biases and norms too
};

struct RuleEntry {
  std::string name;
  std::string summary;              // one line for --help
  std::vector<std::string> options; // keys that it takes beside the common ones
  double lr;                        // where none is given
};

// In the order in which they are documented.
const std::vector<RuleEntry>& optimizer_table();
// Throws ConfigError for an unknown name, with the nearest.
const RuleEntry& find_optimizer(const std::string& name);

// Throws ConfigError: an unknown name, or a value out of its range.
std::shared_ptr<const LocalRule> make_rule(const RuleOptions& options);

// "adamw, beta1 0.9, beta2 0.999, eps 1e-08, decay 0.1": all that tells two
// rules apart.
std::string describe(const RuleOptions& options);

} // namespace grapevine::algo
