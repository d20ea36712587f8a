#include "record/record_reader.h"

#include "base/error.h"
#include "record/json_fields.h"
#include "record/posix.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <fstream>
#include <limits>
#include <map>
#include <string>

namespace grapevine::record {
namespace {

using nlohmann::json;

bool has_type(const json& record, const char* type) {
  return record.at("type") == type;
}

void check_version(const std::filesystem::path& path, const json& record) {
  const auto version = find_integer(record, "format_version");
  if (version == kFormatVersion) return;
  throw IoError(fmt::format(
      "{} has format version {}; this program reads version {}",
      path.string(),
      version ? std::to_string(*version) : "none",
      kFormatVersion));
}

// False for a broken line.
bool visit_line(
    const std::filesystem::path& path,
    const std::string& line,
    const RecordVisitor& visit) {
  const auto record = parse_json(line);
  if (!record || !record->is_object()) return false;
  const auto type = record->find("type");
  if (type == record->end() || !type->is_string()) return false;
  if (has_type(*record, "format")) {
    check_version(path, *record);
  } else {
    visit(*record);
  }
  return true;
}

// Which steps of which attempt count.
class Attempts {
 public:
  void add(const json& record) {
    const auto attempt = find_integer(record, "attempt");
    const auto step = find_integer(record, "step");
    if (attempt && step) resumed_at_.emplace(*attempt, *step);
  }

  // Steps of `attempt` from here on were done again by a later one.
  int64_t superseded_from(int64_t attempt) const {
    int64_t from = std::numeric_limits<int64_t>::max();
    for (auto later = resumed_at_.upper_bound(attempt);
         later != resumed_at_.end();
         ++later) {
      from = std::min(from, later->second);
    }
    return from;
  }

 private:
  std::map<int64_t, int64_t> resumed_at_;
};

// Follows one stream: which attempt and step a line stands at.
class Position {
 public:
  explicit Position(const Attempts& attempts) : attempts_(attempts) {}

  bool counts(const json& record) {
    if (has_type(record, "attempt")) {
      const int64_t attempt = find_integer(record, "attempt").value_or(0);
      superseded_from_ = attempts_.superseded_from(attempt);
    }
    step_ = find_integer(record, "step").value_or(step_);
    return step_ < superseded_from_;
  }

 private:
  const Attempts& attempts_;
  int64_t step_ = 0;
  int64_t superseded_from_ = attempts_.superseded_from(0);
};

} // namespace

int64_t read_records(
    const std::filesystem::path& path,
    const RecordVisitor& visit) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw_io_error("open", path, errno);
  int64_t broken = 0;
  std::string line;
  while (std::getline(file, line)) {
    const bool whole = !file.eof(); // ended by its newline
    if (!whole || !visit_line(path, line, visit)) ++broken;
  }
  if (file.bad()) throw_io_error("read", path, errno);
  return broken;
}

int64_t read_run_records(const RunDirectory& run, const RecordVisitor& visit) {
  const auto files = run.record_files();
  Attempts attempts;
  for (const auto& file : files) {
    read_records(file, [&](const json& record) {
      if (has_type(record, "attempt")) attempts.add(record);
    });
  }
  int64_t broken = 0;
  for (const auto& file : files) {
    Position position(attempts);
    broken += read_records(file, [&](const json& record) {
      if (position.counts(record)) visit(record);
    });
  }
  return broken;
}

} // namespace grapevine::record
