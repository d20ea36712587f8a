// `grapevine plan measure`: the flags, the work, the file.
#pragma once

#include "cli/spec_flags.h"
#include "net/launch_environment.h"
#include "sim/costs.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace grapevine::cli {

class PlanMeasure {
 public:
  void declare(CLI::App& app);
  // Exit code. Only worker 0 writes and prints.
  int run(bool json);
  // The flags that were given, for whoever does not take them.
  std::vector<std::string> given() const;

 private:
  spec::Spec spec(const net::LaunchEnvironment& environment) const;
  double seconds() const;
  void keep(const sim::Costs& costs, bool json) const;

  SpecFlags flags_;
  std::string out_;
  std::string seconds_;
};

} // namespace grapevine::cli
