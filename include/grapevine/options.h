// Options of a graph or an optimizer by their names, which are those of
// `grapevine train`:
//
//   .optimizer = "adamw",
//   .optimizer_options = {{"lr", 3e-4}, {"weight-decay", 0.1}}
//
// `grapevine train --help` lists what each graph and each optimizer takes.
#pragma once

#include <map>
#include <string>
#include <type_traits>

namespace grapevine {

// A number, true or false, or a word.
class OptionValue {
 public:
  OptionValue(const char* text) : text_(text) {}
  OptionValue(std::string text) : text_(std::move(text)) {}
  OptionValue(bool value) : text_(value ? "true" : "false") {}
  OptionValue(double value);
  template <typename Integer>
  requires std::is_integral_v<Integer> OptionValue(Integer value)
      : text_(std::to_string(value)) {}

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

using Options = std::map<std::string, OptionValue>;

} // namespace grapevine
