// A verb that several processes run together, each a worker.
#pragma once

#include "net/launch_environment.h"

#include <functional>

namespace grapevine::cli {

// check() throws what is wrong with the command, which is wrong for all, so
// one process says it; what happens in work() may happen to one alone, so each
// speaks for itself, and ends without waiting for the others. Returns what
// work returns, or the exit code. Started alone, both simply run.
int run_together(
    const net::LaunchEnvironment& environment,
    const std::function<void()>& check,
    const std::function<int()>& work);

} // namespace grapevine::cli
