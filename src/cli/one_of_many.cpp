#include "cli/one_of_many.h"

#include "base/error.h"
#include "cli/console.h"
#include "cli/program.h"
#include "net/transports.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace grapevine::cli {
namespace {

using Kind = net::LaunchEnvironment::Kind;

// Those who wait for a worker that hangs, or for one that waits for it, mostly
// find out within moments of each other. The first of them would end all by
// MPI; it leaves the others this long to say whom they waited for.
constexpr std::chrono::seconds kLastWords{2};

// Ends one process of several without a destructor or handler that could wait
// for the others.
[[noreturn]] void leave(const std::exception& error) {
  const bool is_config = dynamic_cast<const ConfigError*>(&error) != nullptr;
  const bool is_late = dynamic_cast<const TimeoutError*>(&error) != nullptr;
  const int exit_code = is_config ? kWrongCommand : kFailed;
  std::fflush(nullptr);
  net::abandon_mpi(
      exit_code,
      is_late ? kLastWords : std::chrono::seconds::zero());
  std::_Exit(exit_code);
}

} // namespace

int run_together(
    const net::LaunchEnvironment& environment,
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
    leave(error);
  }
}

} // namespace grapevine::cli
