// The command line as a whole: picks the verb, parses its words, turns errors
// into one line on stderr and an exit code.
#pragma once

#include <string>
#include <vector>

namespace grapevine::cli {

// Exit codes, the same for all verbs.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;       // the run, or the world
inline constexpr int kWrongCommand = 2; // the command or the spec

// `arguments` without the program's name. Never throws.
int run_program(const std::vector<std::string>& arguments);

} // namespace grapevine::cli
