// SIGINT and SIGTERM as a flag: the first asks the run to end in good order,
// the second ends the process at once.
#pragma once

#include <atomic>

namespace grapevine::cli {

// Installs the handlers (once) and returns the flag that they set. With
// `announce`, the first signal says so on stderr.
const std::atomic<bool>& interrupt_flag(bool announce);

} // namespace grapevine::cli
