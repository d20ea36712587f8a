// The flags of `plan predict` and `plan recommend`, and what they ask.
#pragma once

#include "sim/predict.h"

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace grapevine::cli {

// "2..8,16,64": numbers and ranges, ascending and each once. ConfigError with
// the reason only.
std::vector<int> parse_counts(const std::string& text);
// "a,b": without empty words.
std::vector<std::string> parse_words(const std::string& text);

class PlanQuestion {
 public:
  void declare(CLI::App& app);

  // ConfigError names the flag; IoError where the costs cannot be read.
  sim::Question question() const;
  std::vector<int> counts() const;
  // The flags that were given, for whoever does not take them.
  std::vector<std::string> given() const;

 private:
  sim::Costs costs() const;

  std::string costs_;
  std::string compute_;
  std::string model_bytes_;
  std::string counts_ = "8";
  std::string link_;
  std::string slow_;
  std::string workers_per_node_;
  std::string algorithms_;
  std::string graphs_;
  std::string degrees_;
  std::string edges_;
  std::string rate_ = "1";
  std::string bucket_bytes_ = "1MiB";
  std::string mover_ = "plans";
  std::string steps_ = "200";
  std::string seed_ = "1";
  bool packing_ = false;
  bool clipped_ = false;
  std::vector<CLI::Option*> options_;
};

} // namespace grapevine::cli
