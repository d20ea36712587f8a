// Time that this process has computed for, on all its threads: other programs
// on the machine disturb it least.
#pragma once

#include <ctime>

namespace grapevine::perf {

inline double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec);
}

} // namespace grapevine::perf
