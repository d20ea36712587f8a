// The name of this machine.
#pragma once

#include <string>

namespace grapevine {

// Empty where it cannot be known.
std::string host_name();

} // namespace grapevine
