// The flags of `plan predict` and `plan recommend`, and what they ask.
#pragma once

#include "base/compute_words.h"
#include "sim/query.h"

#include <functional>
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

class PlanQuery {
 public:
  void declare(CLI::App& app);

  // Reads the flags that were given. ConfigError names the flag; IoError if the
  // costs cannot be read.
  void read();
  // What they ask, and for which numbers of workers.
  const sim::Query& query() const { return query_; }
  const std::vector<int>& counts() const { return counts_; }
  // The flags that were given, for an action that does not take them.
  std::vector<std::string> given() const;

 private:
  struct Flag {
    CLI::Option* option;
    std::function<void(const std::string&)> read; // ConfigError: the reason
  };
  sim::Costs costs() const;

  std::vector<Flag> flags_;
  sim::Query query_;
  std::vector<int> counts_ = {8};
  std::string costs_file_;
  std::optional<ComputeWords> compute_;
  int64_t model_bytes_ = 0; // 0: not given
  int64_t bucket_bytes_ = int64_t{1} << 20;
};

} // namespace grapevine::cli
