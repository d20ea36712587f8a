// What workers must have in common, compared before the first step.
#pragma once

#include "mix/link.h"

#include <map>
#include <string>

namespace grapevine::mix {

// Named parts ("spec.lr" -> "0.05", "layout", "build", …).
using Fingerprint = std::map<std::string, std::string>;

// Compares with all workers; throws ConfigError on every worker if any two
// differ, naming the ranks, the part, and both values of the first
// difference. Bounded by the link's deadline.
void compare_fingerprints(Link& link, const Fingerprint& mine);

} // namespace grapevine::mix
