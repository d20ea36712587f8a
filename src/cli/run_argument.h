// Run directories on the command line.
#pragma once

#include "record/run_directory.h"

#include <string>

namespace grapevine::cli {

// ConfigError where the path does not hold a run.
record::RunDirectory run_argument(const std::string& path);

} // namespace grapevine::cli
