// What this machine has to share between runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace grapevine::sweep {

// Cores that this process may use.
int available_cores();

// Bytes that can be had without swapping: the kernel's MemAvailable or what
// the control group leaves, whichever is less. 0 = unknown.
int64_t available_memory();

// MemAvailable of a text like /proc/meminfo, in bytes; 0 where it has none.
int64_t parse_available(std::string_view meminfo);

} // namespace grapevine::sweep
