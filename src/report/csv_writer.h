// Cells and rows of a CSV text (RFC 4180: commas, CRLF, quotes where needed).
// What is not known is an empty cell. Internal to report.
#pragma once

#include "report/axis.h"
#include "report/statistics.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace grapevine::report {

class Csv {
 public:
  void cell(std::string_view text) {
    separate();
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
      out_ += text;
      return;
    }
    out_ += '"';
    for (const char c : text) {
      if (c == '"') out_ += '"';
      out_ += c;
    }
    out_ += '"';
  }
  void cell(double value) {
    separate();
    if (!std::isfinite(value)) return;
    // Counts keep all their digits.
    const bool is_count =
        value == std::floor(value) && std::abs(value) < 9007199254740992.0;
    if (is_count) {
      fmt::format_to(std::back_inserter(out_), "{:.0f}", value);
    } else {
      fmt::format_to(std::back_inserter(out_), "{:.9g}", value);
    }
  }
  void cell(int64_t value) {
    separate();
    fmt::format_to(std::back_inserter(out_), "{}", value);
  }
  // Empty where the curve has no such column.
  void cell(const report::Column& column, size_t row) {
    cell(row < column.size() ? column[row] : report::kNan);
  }
  void band(const report::Band& band, size_t row) {
    cell(band.mean, row);
    cell(band.low, row);
    cell(band.high, row);
  }
  void band_header(const std::string& name) {
    for (const char* part : {"mean", "low", "high"})
      cell(name + "_" + part);
  }
  void end_row() {
    out_ += "\r\n";
    is_first_ = true;
  }
  std::string take() { return std::move(out_); }

 private:
  void separate() {
    if (!is_first_) out_ += ',';
    is_first_ = false;
  }

  std::string out_;
  bool is_first_ = true;
};

} // namespace grapevine::report
