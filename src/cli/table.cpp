#include "cli/table.h"

#include <algorithm>
#include <cctype>

namespace grapevine::cli {
namespace {

bool is_numeric(const std::string& cell) {
  if (cell.empty() || cell == "–") return true;
  const char first =
      cell.front() == '-' && cell.size() > 1 ? cell[1] : cell.front();
  return std::isdigit(static_cast<unsigned char>(first)) != 0;
}

std::string pad(const std::string& cell, int width, bool right) {
  const std::string space(width - display_width(cell), ' ');
  return right ? space + cell : cell + space;
}

} // namespace

int display_width(const std::string& text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

Table::Table(std::vector<std::string> headers) : headers_(std::move(headers)) {}

void Table::add_row(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
}

std::string Table::text(int indent) const {
  std::vector<int> widths;
  std::vector<bool> right;
  const auto widen = [&](const std::vector<std::string>& cells) {
    if (cells.size() > widths.size()) widths.resize(cells.size(), 0);
    right.resize(widths.size(), true);
    for (size_t i = 0; i < cells.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(cells[i]));
    }
  };
  widen(headers_);
  for (const auto& row : rows_) {
    widen(row);
    for (size_t i = 0; i < row.size(); ++i) {
      right[i] = right[i] && is_numeric(row[i]);
    }
  }

  std::string text;
  const auto append = [&](const std::vector<std::string>& cells) {
    std::string line(indent, ' ');
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line += "  ";
      line += pad(cells[i], widths[i], right[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  if (!headers_.empty()) append(headers_);
  for (const auto& row : rows_)
    append(row);
  return text;
}

} // namespace grapevine::cli
