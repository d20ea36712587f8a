// Reads what record/record_writer.h wrote, at the speed of the disk (a million
// lines per second and more): one stream, or a whole run without the lines
// that a later attempt has superseded.
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
  int64_t step; // of the line before it, if it has none
  simdjson::dom::object fields;
};

using LineScan = std::function<void(const RecordLine&)>;

// Calls visit for every whole, valid line of a file: an object with a string
// "type", and not the "format" line. Broken lines, a last one without its
// newline among them, are counted and skipped; the count is returned. IoError
// if the file cannot be read or has another format version.
int64_t scan_records(const std::filesystem::path& path, const LineScan& visit);

// Calls visit for the lines of a run that count, of all processes in rank
// order, each process's in the order written; returns the number of broken
// lines. Files are read twice, the first time without parsing.
//
// A run that was interrupted and resumed from the checkpoint at S steps has a
// line {"type":"attempt","attempt":a,"step":S} of the later attempt. Lines of
// earlier attempts with step >= S do not count, in any process's file: those
// steps were done again. A line belongs to the attempt of the last "attempt"
// line before it, and one without "step" has the step of the line before it.
int64_t scan_run_records(const RunDirectory& run, const LineScan& visit);

} // namespace grapevine::record
