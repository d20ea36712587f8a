#include "report/sample.h"

#include <algorithm>
#include <cmath>

namespace grapevine::report {
namespace {

constexpr double kTargetShare = 0.98;

Summary accuracy_of(const Sample& sample, int group) {
  std::vector<double> values;
  for (const int run : sample.runs_of(group))
    values.push_back(sample.runs()[run].accuracy);
  return summarize(values);
}

Ranking rank_stratum(const Sample& sample, const Choices& stratum) {
  Ranking ranking{stratum, {}};
  for (const int group : sample.groups_in(stratum)) {
    const Summary accuracy = accuracy_of(sample, group);
    if (accuracy.count == 0) continue;
    ranking.rows.push_back({group, 0, accuracy, std::nullopt});
  }
  std::ranges::stable_sort(
      ranking.rows,
      std::ranges::greater(),
      [](const RankingRow& row) { return row.accuracy.mean; });
  for (size_t i = 0; i < ranking.rows.size(); ++i) {
    RankingRow& row = ranking.rows[i];
    row.rank = static_cast<int>(i) + 1;
    const MeanInterval behind = paired_difference(
        sample.accuracy_by_seed(ranking.rows.front().group),
        sample.accuracy_by_seed(row.group));
    if (i == 0) {
      row.not_worse_than_best = true;
    } else if (behind.interval.exists()) {
      row.not_worse_than_best = !behind.interval.excludes(0);
    }
  }
  return ranking;
}

double default_target(const Sample& sample) {
  double best = kNan;
  for (const Group& group : sample.groups()) {
    const double accuracy = accuracy_of(sample, group.id).mean;
    if (std::isfinite(accuracy) && !(accuracy <= best)) best = accuracy;
  }
  // The small addition keeps 0.98 * 0.5 from being 0.48999….
  return std::floor(kTargetShare * best * 100 + 1e-9) / 100;
}

TargetRow target_row(const Sample& sample, int group, double accuracy) {
  TargetRow row{.group = group};
  std::vector<double> epochs;
  std::vector<double> seconds;
  std::vector<double> messages;
  std::vector<double> bytes;
  for (const int index : sample.runs_of(group)) {
    ++row.runs;
    const Milestone* milestone = first_reaching(sample.runs()[index], accuracy);
    if (milestone == nullptr) continue;
    ++row.reached;
    epochs.push_back(milestone->epoch);
    seconds.push_back(milestone->seconds);
    messages.push_back(milestone->messages);
    bytes.push_back(milestone->bytes);
  }
  row.epochs = summarize(epochs);
  row.seconds = summarize(seconds);
  row.messages_per_worker = summarize(messages);
  row.bytes_per_worker = summarize(bytes);
  return row;
}

} // namespace

std::vector<Ranking> rank_groups(const Sample& sample) {
  std::vector<Ranking> rankings;
  for (const Choices& stratum : sample.strata()) {
    Ranking ranking = rank_stratum(sample, stratum);
    if (!ranking.rows.empty()) rankings.push_back(std::move(ranking));
  }
  return rankings;
}

const Milestone* first_reaching(const RunData& run, double accuracy) {
  for (const Milestone& milestone : run.milestones) {
    if (milestone.accuracy >= accuracy) return &milestone;
  }
  return nullptr;
}

Target reach_target(const Sample& sample, std::optional<double> target) {
  Target result;
  result.given = target.has_value();
  result.accuracy = target ? *target : default_target(sample);
  if (!std::isfinite(result.accuracy)) return result;
  for (const Group& group : sample.groups()) {
    const TargetRow row = target_row(sample, group.id, result.accuracy);
    if (row.runs > 0) result.rows.push_back(row);
  }
  return result;
}

} // namespace grapevine::report
