// How much of each run a page may show, so that it stays small whatever the
// number of runs.
#pragma once

#include <cstdint>

namespace grapevine::report {

struct Budget {
  int points = 400; // of a curve
  int digits = 6;   // significant, of a number of a curve
  // Runs beyond this number have no curves (first seeds come first).
  int runs_with_curves = 0;
  int runs_with_detail = 0;
  int64_t numbers_of_heat = 0;  // of one run's detail
  int64_t numbers_of_norms = 0; // of one run's detail
};

inline constexpr int64_t kPageDataBytes = 8'000'000;

Budget make_budget(int runs, int groups, int metrics);

} // namespace grapevine::report
