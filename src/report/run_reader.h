// Reads a run directory into RunData: first what the run was, enough to sort
// runs into groups, then its records, in one pass and bounded memory.
#pragma once

#include "report/run_data.h"

#include <filesystem>

namespace grapevine::report {

// Reads spec.toml and run.json: everything of RunData but what the records
// hold. Throws an Error whose text is the reason (without the path) if the
// directory cannot be reported on: a file is missing or broken, of another
// version, or has keys that this program does not know.
RunData read_header(const std::filesystem::path& path);

struct ReadOptions {
  int points = 400; // of a curve, at most; 0 = no curves
  bool detail = false;
  int64_t numbers_of_heat = 100'000;
  int64_t numbers_of_norms = 100'000;
};

// Fills in what read_header() left open. A run without records, or with ones
// that were cut, gets what is there. IoError if a file of records cannot be
// read or has another version.
void read_run(RunData& run, const ReadOptions& options);

} // namespace grapevine::report
