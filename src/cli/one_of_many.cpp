#include "cli/one_of_many.h"

#include "base/error.h"
#include "cli/console.h"
#include "cli/program.h"
#include "transport/transports.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace grapevine::cli {
namespace {

using Kind = transport::LaunchEnvironment::Kind;

// Ends one process of several without a destructor or handler that could wait
// for the others.
[[noreturn]] void leave(int exit_code) {
  std::fflush(nullptr);
  transport::abandon_mpi(exit_code);
  std::_Exit(exit_code);
}

} // namespace

int run_together(
    const transport::LaunchEnvironment& environment,
    const std::function<void()>& check,
    const std::function<int()>& work) {
  if (environment.kind == Kind::kAlone) {
    check();
    return work();
  }
  try {
    check();
  } catch (const ConfigError&) {
    if (environment.rank == 0) throw;
    return kWrongCommand;
  }
  try {
    return work();
  } catch (const std::exception& error) {
    print_line(fmt::format(
        "grapevine: worker {}: {}",
        environment.rank,
        error.what()));
    const bool is_config = dynamic_cast<const ConfigError*>(&error) != nullptr;
    leave(is_config ? kWrongCommand : kFailed);
  }
}

} // namespace grapevine::cli
