#include "run/final_report.h"

#include "run/numbers.h"

#include <algorithm>
#include <cmath>

namespace grapevine::run {
namespace {

// In the order in which they travel; the counts follow.
constexpr FinalNumber kNumbers[] = {
    &FinalReport::interrupted,
    &FinalReport::diverged,
    &FinalReport::gave_up,
    &FinalReport::messages,
    &FinalReport::bytes,
    &FinalReport::gradients,
    &FinalReport::averagings,
    &FinalReport::seconds,
    &FinalReport::training_seconds,
    &FinalReport::loss,
    &FinalReport::best_epoch,
    &FinalReport::best_accuracy,
    &FinalReport::best_loss,
    &FinalReport::values,
    &FinalReport::statistics,
};

} // namespace

std::vector<double> to_row(const FinalReport& report) {
  std::vector<double> row;
  for (const FinalNumber number : kNumbers)
    row.push_back(report.*number);
  row.insert(row.end(), report.counts.begin(), report.counts.end());
  return row;
}

FinalReport report_in(const std::vector<double>& row) {
  FinalReport report;
  auto value = row.begin();
  for (const FinalNumber number : kNumbers)
    report.*number = *value++;
  for (; value != row.end(); ++value)
    report.counts.push_back(std::llround(*value));
  return report;
}

double sum(const FinalReports& reports, FinalNumber number) {
  double total = 0;
  for (const FinalReport& report : reports)
    total += report.*number;
  return total;
}

double most(const FinalReports& reports, FinalNumber number) {
  return std::ranges::max(reports, {}, number).*number;
}

double least(const FinalReports& reports, FinalNumber number) {
  return std::ranges::min(reports, {}, number).*number;
}

double mean_loss(const FinalReports& reports) {
  std::vector<double> losses;
  for (const FinalReport& report : reports) {
    if (!std::isnan(report.loss)) losses.push_back(report.loss);
  }
  return mean_of(losses);
}

double total_gradients(const FinalReports& reports, int workers) {
  int64_t total = 0;
  for (int rank = 0; rank < workers; ++rank) {
    int64_t known = 0;
    for (const FinalReport& report : reports)
      known = std::max(known, report.counts[rank]);
    total += known;
  }
  return static_cast<double>(total);
}

void replace_worse(
    mix::Cluster& cluster,
    const FinalReports& reports,
    FinalNumber number,
    tensor::Arena& arena,
    const std::vector<algo::Plane>& planes) {
  const double best = least(reports, number);
  const auto good = std::ranges::count(reports, best, number);
  if (good == cluster.size()) return;
  const bool is_good = reports[cluster.hosted().front()].*number == best;
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
