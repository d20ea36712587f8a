// The records of a run at the speed of the disk: a million lines a second and
// more. record/record_reader.h is the same in plain JSON values, for tests and
// small things.
#pragma once

#include "record/run_directory.h"

#include <simdjson.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

namespace grapevine::record {

// One line. Valid during the call of the visitor only.
struct RecordLine {
  std::string_view text;
  std::string_view type;
  int64_t step; // of the line before it, where it has none
  simdjson::dom::object fields;
};

using LineScan = std::function<void(const RecordLine&)>;

// Every whole, valid line of a file: an object with a string "type", and not
// the "format" line. Broken lines, a last one without its newline among them,
// are counted and skipped; the count is returned. IoError if the file cannot
// be read or has another format version.
int64_t scan_records(const std::filesystem::path& path, const LineScan& visit);

// The lines of a run that count (record/attempts.h), of all processes in rank
// order, each process's in the order written; returns the number of broken
// lines. Files are read twice, the first time without parsing.
int64_t scan_run_records(const RunDirectory& run, const LineScan& visit);

} // namespace grapevine::record
