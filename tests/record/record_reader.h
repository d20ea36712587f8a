// The records of a file or a run as plain JSON values, for tests.
#pragma once

#include "record/record_scanner.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>

namespace grapevine::record {

using RecordVisitor = std::function<void(const nlohmann::json&)>;

inline LineScan parsed(const RecordVisitor& visit) {
  return [&visit](const RecordLine& line) {
    // What one parser takes the other does too, but for their bugs.
    const auto json = nlohmann::json::parse(line.text, nullptr, false);
    if (!json.is_discarded()) visit(json);
  };
}

// As scan_records().
inline int64_t read_records(
    const std::filesystem::path& path,
    const RecordVisitor& visit) {
  return scan_records(path, parsed(visit));
}

// As scan_run_records().
inline int64_t read_run_records(
    const RunDirectory& run,
    const RecordVisitor& visit) {
  return scan_run_records(run, parsed(visit));
}

} // namespace grapevine::record
