// Reads the records of a run into RunData: one pass, bounded memory.
#pragma once

#include "report/budget.h"
#include "report/run_data.h"

namespace grapevine::report {

struct ReadOptions {
  int points = 400; // of a curve, at most; 0 = no curves
  bool detail = false;
  int64_t numbers_of_heat = 100'000;
  int64_t numbers_of_norms = 100'000;
};

// Fills in what read_header() left open. A run without records, or with ones
// that were cut, gets what is there. IoError where a file of records cannot
// be read or has another version.
void read_run(RunData& run, const ReadOptions& options);

} // namespace grapevine::report
