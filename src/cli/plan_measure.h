// `grapevine plan measure`: the flags, the work, the file.
#pragma once

#include "cli/spec_flags.h"
#include "runtime/costs.h"
#include "transport/launch_environment.h"

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
  spec::Spec spec(const transport::LaunchEnvironment& environment) const;
  double seconds() const;
  void keep(const runtime::Costs& costs, bool json) const;

  SpecFlags flags_;
  std::string out_;
  std::string seconds_;
};

} // namespace grapevine::cli
