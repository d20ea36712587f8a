#include "record/record_scanner.h"

#include "base/error.h"
#include "record/line_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace grapevine::record {
namespace {

static_assert(kLinePadding >= simdjson::SIMDJSON_PADDING);

using simdjson::dom::object;

std::optional<int64_t> integer(const object& fields, std::string_view key) {
  int64_t value = 0;
  if (fields.at_key(key).get(value) != simdjson::SUCCESS) return std::nullopt;
  return value;
}

void check_version(const std::filesystem::path& path, const object& fields) {
  const auto version = integer(fields, "format_version");
  if (version == kFormatVersion) return;
  throw IoError(fmt::format(
      "{} has format version {}; this program reads version {}",
      path.string(),
      version ? std::to_string(*version) : "none",
      kFormatVersion));
}

// The attempts of a run, of all its files.
class Attempts {
 public:
  // An "attempt" line of a file: its number, and the steps done in the
  // checkpoint that it starts from. is_own: those are this file's worker's
  // alone, who counts for itself (asynchronous runs).
  void add(int file, int64_t attempt, int64_t step, bool is_own) {
    if (is_own) {
      own_resumed_at_[file].push_back(step);
    } else {
      resumed_at_.emplace(attempt, step);
    }
  }

 private:
  friend class Position;
  std::map<int64_t, int64_t> resumed_at_;              // by attempt
  std::map<int, std::vector<int64_t>> own_resumed_at_; // in a file's order
};

// Follows one file and knows which of its lines count: docs/formats.md, "Which
// lines count". The one place that knows.
class Position {
 public:
  Position(const Attempts& attempts, int file)
      : attempts_(attempts),
        file_(file) {
    look_ahead();
  }

  // At an "attempt" line: the lines from it on are its own.
  void begin(int64_t attempt, bool is_own) {
    attempt_ = attempt;
    if (is_own) ++own_begun_;
    look_ahead();
  }
  // Whether a line of this step counts. A line without one has the step of
  // the line before it.
  bool counts(int64_t step) const { return step < superseded_from_; }

 private:
  void look_ahead() {
    superseded_from_ = std::numeric_limits<int64_t>::max();
    const auto& all = attempts_.resumed_at_;
    for (auto later = all.upper_bound(attempt_); later != all.end(); ++later)
      superseded_from_ = std::min(superseded_from_, later->second);
    const auto own = attempts_.own_resumed_at_.find(file_);
    if (own == attempts_.own_resumed_at_.end()) return;
    for (size_t i = own_begun_; i < own->second.size(); ++i)
      superseded_from_ = std::min(superseded_from_, own->second[i]);
  }

  const Attempts& attempts_;
  int file_;
  int64_t attempt_ = 0;
  size_t own_begun_ = 0;        // of this file's own attempts
  int64_t superseded_from_ = 0; // steps that a later attempt did again
};

class Parser {
 public:
  // The fields of a record and its type; false for a broken line.
  bool parse(std::string_view line, object& fields, std::string_view& type) {
    simdjson::dom::element document;
    return parser_.parse(line.data(), line.size(), false).get(document) ==
               simdjson::SUCCESS &&
           document.get(fields) == simdjson::SUCCESS &&
           fields.at_key("type").get(type) == simdjson::SUCCESS;
  }

 private:
  simdjson::dom::parser parser_;
};

// Whether "attempt" may be the line's type. As a key it is on every line of a
// step, so a colon behind it says no.
bool may_be_attempt(std::string_view line) {
  constexpr std::string_view kWord = "\"attempt\"";
  for (size_t at = line.find(kWord); at != std::string_view::npos;
       at = line.find(kWord, at + 1)) {
    const size_t next = line.find_first_not_of(" \t\r", at + kWord.size());
    if (next == std::string_view::npos || line[next] != ':') return true;
  }
  return false;
}

// Whether the steps of an attempt are its own worker's alone.
bool is_own(const object& fields) {
  bool own = false;
  return fields.at_key("own_steps").get(own) == simdjson::SUCCESS && own;
}

void find_attempts(
    const std::filesystem::path& path,
    int file,
    Attempts& attempts) {
  Parser parser;
  read_lines(path, [&](std::string_view line, bool whole) {
    object fields;
    std::string_view type;
    if (!whole || !may_be_attempt(line)) return;
    if (!parser.parse(line, fields, type) || type != "attempt") return;
    const auto attempt = integer(fields, "attempt");
    const auto step = integer(fields, "step");
    if (attempt && step) attempts.add(file, *attempt, *step, is_own(fields));
  });
}

} // namespace

int64_t scan_records(const std::filesystem::path& path, const LineScan& visit) {
  Parser parser;
  int64_t broken = 0;
  int64_t step = 0;
  read_lines(path, [&](std::string_view line, bool whole) {
    RecordLine record{.text = line, .type = {}, .step = 0, .fields = {}};
    if (!whole || !parser.parse(line, record.fields, record.type)) {
      ++broken;
    } else if (record.type == "format") {
      check_version(path, record.fields);
    } else {
      step = integer(record.fields, "step").value_or(step);
      record.step = step;
      visit(record);
    }
  });
  return broken;
}

int64_t scan_run_records(const RunDirectory& run, const LineScan& visit) {
  const auto files = run.record_files();
  Attempts attempts;
  for (size_t i = 0; i < files.size(); ++i)
    find_attempts(files[i], static_cast<int>(i), attempts);
  int64_t broken = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    Position position(attempts, static_cast<int>(i));
    broken += scan_records(files[i], [&](const RecordLine& line) {
      if (line.type == "attempt") {
        position.begin(
            integer(line.fields, "attempt").value_or(0),
            is_own(line.fields));
      }
      if (position.counts(line.step)) visit(line);
    });
  }
  return broken;
}

} // namespace grapevine::record
