// Starts a process that ends with this one.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace grapevine::net {

// Returns the process's id. It leads a process group of its own, has the
// default signal handlers (but ignores SIGHUP if this process does) and an
// empty mask, and is killed when the calling thread's process ends.
// `environment` holds NAME=VALUE. Throws ConfigError if the program cannot be
// executed, IoError if no process can be made.
pid_t spawn(
    const std::vector<std::string>& command,
    const std::vector<std::string>& environment);

// This process's environment with some variables replaced or added.
std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& changes);

} // namespace grapevine::net
