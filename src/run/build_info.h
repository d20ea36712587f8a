// What was built, and where it runs: for run.json and fingerprints.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace grapevine::run {

std::string build_version();   // "0.1.0"
std::string git_state();       // "e0c610a", "e0c610a-dirty", "unknown"
std::string torch_version();   // "1.13.0"
nlohmann::json machine_info(); // host, cores, memory, cpu

} // namespace grapevine::run
