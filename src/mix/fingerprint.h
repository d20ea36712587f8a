// What workers must have in common, compared before the first step.
#pragma once

#include "mix/communicator.h"

#include <map>
#include <string>

namespace grapevine::mix {

// Named parts ("spec.lr" -> "0.05", "layout", "build", …).
using Fingerprint = std::map<std::string, std::string>;

// Compares with all workers; throws ConfigError on every worker if any two
// differ, naming the ranks, the part, and both values of the first
// difference. Bounded by the communicator's deadline.
void compare_fingerprints(Communicator& communicator, const Fingerprint& mine);

} // namespace grapevine::mix
