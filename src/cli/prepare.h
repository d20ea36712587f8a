// From a parsed spec to one that can be trained: what only the program knows
// (the zoo, the data sets, the launcher) is checked and filled in here, before
// anything starts.
#pragma once

#include "net/launch_environment.h"
#include "spec/spec_table.h"

namespace grapevine::cli {

// Transport and n as launched, where they were not given, and one worker a node
// in a virtual cluster (real ones are asked when the workers meet); then
// everything is checked. ConfigError names the origin of the key: unknown model
// or data set, an n that is not the number of processes, and what
// spec::validate refuses.
void prepare(
    spec::ParsedSpec& parsed,
    const net::LaunchEnvironment& environment);

} // namespace grapevine::cli
