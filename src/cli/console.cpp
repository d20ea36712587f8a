#include "cli/console.h"

#include "base/error.h"

#include <nlohmann/json.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace grapevine::cli {

void print_text(std::string_view text) {
  const size_t written = std::fwrite(text.data(), 1, text.size(), stdout);
  if (written != text.size() || std::fflush(stdout) != 0) {
    throw IoError("standard output cannot be written");
  }
}

namespace {

// Paths need not be UTF-8; JSON must.
template <typename Json>
void print_document(const Json& document) {
  constexpr auto kReplace = Json::error_handler_t::replace;
  print_text(document.dump(2, ' ', false, kReplace) + "\n");
}

} // namespace

void print_json(const nlohmann::json& document) {
  print_document(document);
}

void print_json(const nlohmann::ordered_json& document) {
  print_document(document);
}

void print_line(std::string_view text) {
  std::string line(text);
  if (line.empty() || line.back() != '\n') line += '\n';
  // At once: other workers write there, too.
  std::fwrite(line.data(), 1, line.size(), stderr);
}

bool stderr_is_terminal() {
  return isatty(STDERR_FILENO) == 1;
}

int terminal_width() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0;
  return known && size.ws_col > 0 ? size.ws_col : 80;
}

} // namespace grapevine::cli
