#include "report/statistics.h"

#include "base/check.h"
#include "base/median.h"
#include "base/random.h"
#include "record/dispersion.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <boost/math/distributions/students_t.hpp>

namespace grapevine::report {
namespace {

constexpr uint64_t kReportSeed = 1;

// Returns the index of each item's seed among the seeds, which ascend.
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

std::vector<double> finite(std::span<const double> values) {
  std::vector<double> kept;
  for (const double value : values) {
    if (std::isfinite(value)) kept.push_back(value);
  }
  return kept;
}

double mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values)
    sum += value;
  return values.empty() ? kNan : sum / static_cast<double>(values.size());
}

double sample_deviation(std::span<const double> values) {
  if (values.size() < 2) return kNan;
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values)
    squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

Summary summarize(std::span<const double> values) {
  const std::vector<double> kept = finite(values);
  return {
      .mean = mean(kept),
      .sd = sample_deviation(kept),
      .count = static_cast<int>(kept.size())};
}

double median(std::vector<double> values) {
  return grapevine::median(std::move(values));
}

std::vector<double> robust_z(std::span<const double> values) {
  constexpr double kNormalScale = 1.4826;
  const std::vector<double> kept = finite(values);
  const double centre = median(kept);
  std::vector<double> distances;
  distances.reserve(kept.size());
  for (const double value : kept)
    distances.push_back(std::abs(value - centre));
  const double scale = kNormalScale * median(distances);
  std::vector<double> z;
  z.reserve(values.size());
  for (const double value : values) {
    const bool defined = std::isfinite(value) && scale > 0;
    z.push_back(defined ? (value - centre) / scale : kNan);
  }
  return z;
}

std::vector<double> ranks(std::span<const double> values) {
  std::vector<int> indices(values.size());
  std::iota(indices.begin(), indices.end(), 0);
  std::ranges::stable_sort(indices, {}, [&](int i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (size_t begin = 0; begin < indices.size();) {
    size_t end = begin + 1;
    while (end < indices.size() &&
           values[indices[end]] == values[indices[begin]])
      ++end;
    for (size_t i = begin; i < end; ++i) {
      ranks[indices[i]] = static_cast<double>(begin + end + 1) / 2;
    }
    begin = end;
  }
  return ranks;
}

double spearman(std::span<const double> x, std::span<const double> y) {
  GV_CHECK_EQ(x.size(), y.size());
  const std::vector<double> rank_x = ranks(x);
  const std::vector<double> rank_y = ranks(y);
  const double middle = (static_cast<double>(x.size()) + 1) / 2; // their mean
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xx += (rank_x[i] - middle) * (rank_x[i] - middle);
    yy += (rank_y[i] - middle) * (rank_y[i] - middle);
    xy += (rank_x[i] - middle) * (rank_y[i] - middle);
  }
  if (xx <= 0 || yy <= 0) return kNan;
  return std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0);
}

double student_quantile(double p, double freedom) {
  GV_CHECK(p > 0 && p < 1);
  GV_CHECK(freedom > 0);
  return boost::math::quantile(boost::math::students_t(freedom), p);
}

MeanInterval mean_interval(std::span<const double> values) {
  const Summary summary = summarize(values);
  MeanInterval result{summary.mean, {}, summary.count};
  if (summary.count < 2) return result;
  const double n = summary.count;
  const double half =
      student_quantile(0.975, n - 1) * summary.sd / std::sqrt(n);
  result.interval = {summary.mean - half, summary.mean + half};
  return result;
}

MeanInterval paired_difference(const BySeed& a, const BySeed& b) {
  std::vector<double> differences;
  for (const auto& [seed, value] : a) {
    const auto other = b.find(seed);
    if (other != b.end()) differences.push_back(value - other->second);
  }
  return mean_interval(differences);
}

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
