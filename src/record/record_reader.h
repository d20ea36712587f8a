// Reads what record/record_writer.h wrote: one stream, or a whole run with
// what later attempts have superseded left out.
#pragma once

#include "record/run_directory.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>

namespace grapevine::record {

using RecordVisitor = std::function<void(const nlohmann::json&)>;

// Calls visit for every whole, valid line: an object with a string "type",
// and not the "format" line. Broken lines, a last one without its newline
// among them, are counted and skipped; the count is returned. IoError if the
// file cannot be read or has another format version.
int64_t read_records(
    const std::filesystem::path& path,
    const RecordVisitor& visit);

// Calls visit for the lines that count, of all processes in rank order, each
// process's in the order written; returns the number of broken lines.
//
// A run that was interrupted and resumed from the checkpoint at S steps has a
// line {"type":"attempt","attempt":a,"step":S} of the later attempt. Lines of
// earlier attempts with step >= S do not count, in any process's file: those
// steps were done again. A line belongs to the attempt of the last "attempt"
// line before it, and one without "step" stands at the step of the line
// before it.
int64_t read_run_records(const RunDirectory& run, const RecordVisitor& visit);

} // namespace grapevine::record
