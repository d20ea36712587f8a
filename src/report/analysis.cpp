#include "report/analysis.h"

#include "report/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace grapevine::report {

Analysis analyse(
    const std::vector<RunData>& runs,
    const Grouping& grouping,
    std::optional<double> target) {
  const Sample sample(runs, grouping);
  Analysis analysis;
  analysis.target = reach_target(sample, target);
  analysis.rankings = rank_groups(sample);
  analysis.correlations = correlate(sample);
  analysis.comparisons = compare(sample);
  analysis.findings = find(sample, analysis);
  return analysis;
}

Sample::Sample(const std::vector<RunData>& runs, const Grouping& grouping)
    : runs_(runs),
      grouping_(grouping) {
  for (const Group& group : grouping.groups) {
    if (std::ranges::count(strata_, group.stratum) == 0) {
      strata_.push_back(group.stratum);
    }
  }
}

bool Sample::has_key(const std::string& key) const {
  return std::ranges::count(grouping_.keys, key) > 0;
}

std::vector<int> Sample::groups_in(const Choices& stratum) const {
  std::vector<int> ids;
  for (const Group& group : grouping_.groups) {
    if (group.stratum == stratum) ids.push_back(group.id);
  }
  return ids;
}

std::vector<int> Sample::runs_of(int group) const {
  std::vector<int> counting;
  for (const int run : grouping_.groups[group].runs) {
    if (runs_[run].counts()) counting.push_back(run);
  }
  return counting;
}

std::vector<int> Sample::decentralized_in(const Choices& stratum) const {
  std::vector<int> chosen;
  for (const int id : groups_in(stratum)) {
    if (!group(id).decentralized) continue;
    const std::vector<int> runs = runs_of(id);
    chosen.insert(chosen.end(), runs.begin(), runs.end());
  }
  return chosen;
}

BySeed Sample::by_seed(
    int group,
    const std::function<double(const RunData&)>& figure) const {
  std::map<uint64_t, std::vector<double>> values;
  for (const int run : runs_of(group)) {
    const double value = figure(runs_[run]);
    if (std::isfinite(value)) values[runs_[run].spec.seed].push_back(value);
  }
  BySeed means;
  for (const auto& [seed, list] : values)
    means[seed] = mean(list);
  return means;
}

BySeed Sample::accuracy_by_seed(int group) const {
  return by_seed(group, [](const RunData& run) { return run.accuracy; });
}

std::string Sample::diverged_text(const std::vector<int>& runs) const {
  const auto diverged = std::ranges::count_if(runs, [&](int run) {
    return runs_[run].outcome == "diverged";
  });
  if (diverged == 0) return "";
  return fmt::format("; {} of {} runs diverged", diverged, runs.size());
}

std::string sentence_at_name(const Choices& stratum, const std::string& rest) {
  return stratum.empty() ? rest
                         : fmt::format("At {} {}", to_text(stratum), rest);
}

std::string sentence_at(const Choices& stratum, const std::string& rest) {
  std::string sentence = sentence_at_name(stratum, rest);
  sentence[0] = static_cast<char>(std::toupper(sentence[0]));
  return sentence;
}

} // namespace grapevine::report
