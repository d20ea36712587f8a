// The two streams of the program: results on stdout, all else on stderr.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace grapevine::cli {

// To stdout, as it is. Throws IoError where stdout cannot be written.
void print_text(std::string_view text);
// To stdout, indented, with a newline at the end.
void print_json(const nlohmann::json& document);
void print_json(const nlohmann::ordered_json& document);

// To stderr, with a newline unless it ends with one, in a single write, so that
// lines of several processes stay whole.
void print_line(std::string_view text);

// Whether a person reads stderr, and how wide the window is (80 if unknown).
bool stderr_is_terminal();
int terminal_width();

} // namespace grapevine::cli
