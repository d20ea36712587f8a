// A table in plain text: columns as wide as their widest cell, numbers to the
// right.
#pragma once

#include <string>
#include <vector>

namespace grapevine::cli {

class Table {
 public:
  // Without headers there is no line above the rows.
  explicit Table(std::vector<std::string> headers = {});

  // Rows may be shorter than others.
  void add_row(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }

  // Every line indented by that many spaces and ended by a newline. A column
  // is set to the right when all its cells begin like numbers.
  std::string text(int indent = 0) const;

 private:
  std::vector<std::string> headers_;
  std::vector<std::vector<std::string>> rows_;
};

// Characters that a text takes on a terminal (UTF-8, each one wide).
int display_width(const std::string& text);

} // namespace grapevine::cli
