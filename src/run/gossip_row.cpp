#include "run/gossip_row.h"

#include "run/numbers.h"

#include <algorithm>
#include <cmath>

namespace grapevine::run {

double sum(const mix::Rows& rows, Column column) {
  double total = 0;
  for (const auto& row : rows)
    total += row[column];
  return total;
}

double most(const mix::Rows& rows, Column column) {
  double most = 0;
  for (const auto& row : rows)
    most = std::max(most, row[column]);
  return most;
}

double mean_loss(const mix::Rows& rows) {
  std::vector<double> losses;
  for (const auto& row : rows) {
    if (!std::isnan(row[kLoss])) losses.push_back(row[kLoss]);
  }
  return mean_of(losses);
}

double total_gradients(const mix::Rows& rows, int workers) {
  double total = 0;
  for (int rank = 0; rank < workers; ++rank) {
    double most = 0;
    for (const auto& row : rows)
      most = std::max(most, row[kCounts + rank]);
    total += most;
  }
  return total;
}

double best_values(const mix::Rows& rows, Column column) {
  double best = kNone;
  for (const auto& row : rows)
    best = std::min(best, row[column]);
  return best;
}

void replace_worse(
    mix::Cluster& cluster,
    const mix::Rows& rows,
    Column column,
    tensor::Arena& arena,
    const std::vector<algo::Plane>& planes) {
  const double best = best_values(rows, column);
  const auto is_best = [&](const auto& row) { return row[column] == best; };
  const auto good = std::ranges::count_if(rows, is_best);
  if (good == cluster.size()) return;
  const bool is_good = is_best(rows[cluster.hosted().front()]);
  for (const auto plane : planes) {
    const std::span<float> values = algo::plane_of(arena, plane);
    if (!is_good) std::ranges::fill(values, 0.0f);
    std::vector<float> mean(values.size());
    cluster.mean(plane, mean);
    if (is_good) continue;
    const float scale =
        static_cast<float>(cluster.size()) / static_cast<float>(good);
    std::ranges::transform(mean, values.begin(), [&](float value) {
      return value * scale;
    });
  }
}

} // namespace grapevine::run
