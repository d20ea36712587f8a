// A spec out of layers of assignments.
#pragma once

#include "spec/spec_table.h"
#include "spec/toml_file.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace grapevine::spec {

// The flags as a layer. ConfigError: an unknown one (with the nearest).
Assignments read_flags(
    const std::vector<std::pair<std::string, std::string>>& flags);

// Later layers win over earlier ones, and later assignments of a layer over
// earlier ones. A preset lies underneath the layer that names it: it wins over
// the layers before and yields to what is said beside or after it.
ParsedSpec assemble(std::span<const Assignments> layers);

} // namespace grapevine::spec
