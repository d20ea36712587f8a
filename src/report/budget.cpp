#include "report/budget.h"

#include <algorithm>

namespace grapevine::report {
namespace {

// Measured on pages: what is written for a run without its curves.
constexpr int64_t kRunBytes = 1300;
constexpr int kManyRuns = 100; // from here on 4 digits do
constexpr int kFewestPoints = 12;
constexpr int kMostPoints = 400;
constexpr int64_t kMostDetailBytes = 2'400'000;

} // namespace

Budget make_budget(int runs, int groups, int metrics) {
  runs = std::max(runs, 1);
  const bool many = runs >= kManyRuns;
  Budget budget;
  budget.digits = many ? 4 : 6;
  // With its comma; those near 0 need an exponent.
  const double number_bytes = many ? 7.2 : 8.5;

  budget.runs_with_detail = std::clamp(groups, 1, many ? 8 : 24);
  const int64_t detail = std::min<int64_t>(
      many ? 100'000 : 900'000,
      kMostDetailBytes / budget.runs_with_detail);
  budget.numbers_of_heat = detail * 2 / 5 / 8;
  budget.numbers_of_norms = detail * 3 / 5 / 8;

  // Of steps, of probes and of evaluations.
  const double columns = 10 + 6 + 3 * (metrics + 3) + 13;
  const double room = std::max(
      static_cast<double>(
          kPageDataBytes - detail * budget.runs_with_detail - kRunBytes * runs),
      static_cast<double>(kPageDataBytes) / 10);
  const double points = room / runs / columns / number_bytes;
  budget.points =
      static_cast<int>(std::clamp<double>(points, kFewestPoints, kMostPoints));
  budget.runs_with_curves = static_cast<int>(
      std::min<double>(runs, room / (columns * number_bytes * budget.points)));
  return budget;
}

} // namespace grapevine::report
