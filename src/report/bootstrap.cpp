#include "report/bootstrap.h"

#include "base/random.h"
#include "record/norm_sample.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace grapevine::report {
namespace {

constexpr uint64_t kReportSeed = 1;

// Which of the seeds, in ascending order, each run has.
std::vector<int> seed_indices(
    std::span<const uint64_t> item_seeds,
    const std::vector<uint64_t>& seeds) {
  std::vector<int> indices;
  for (const uint64_t seed : item_seeds) {
    indices.push_back(static_cast<int>(
        std::ranges::lower_bound(seeds, seed) - seeds.begin()));
  }
  return indices;
}

} // namespace

Interval bootstrap_over_seeds(
    std::span<const uint64_t> item_seeds,
    const std::function<double(std::span<const int> counts)>& figure,
    int drawings) {
  const std::set<uint64_t> distinct(item_seeds.begin(), item_seeds.end());
  const std::vector<uint64_t> seeds(distinct.begin(), distinct.end());
  if (seeds.size() < 2) return {};
  const std::vector<int> index = seed_indices(item_seeds, seeds);
  std::vector<double> figures;
  std::vector<int> counts(item_seeds.size());
  for (int drawing = 0; drawing < drawings; ++drawing) {
    Random random(
        kReportSeed,
        Purpose::kBootstrap,
        static_cast<uint64_t>(drawing));
    std::vector<int> drawn(seeds.size(), 0);
    for (size_t i = 0; i < seeds.size(); ++i)
      ++drawn[random.below(seeds.size())];
    for (size_t run = 0; run < counts.size(); ++run)
      counts[run] = drawn[index[run]];
    const double value = figure(counts);
    if (std::isfinite(value)) figures.push_back(value);
  }
  if (figures.size() * 2 < static_cast<size_t>(drawings)) return {};
  std::ranges::sort(figures);
  return {
      record::quantile_type7(figures, 0.025),
      record::quantile_type7(figures, 0.975)};
}

} // namespace grapevine::report
