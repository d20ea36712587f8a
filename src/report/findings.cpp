#include "report/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace grapevine::report {
namespace {

constexpr int kFewestSeeds = 3;

bool speaks(const Correlation& correlation) {
  return correlation.seeds >= kFewestSeeds && correlation.interval.exists() &&
         correlation.interval.excludes(0);
}

std::string correlation_text(
    const Sample& sample,
    const Correlation& correlation) {
  std::vector<int> runs;
  for (const Choices& stratum : sample.strata()) {
    if (correlation.stratum && stratum != *correlation.stratum) continue;
    const auto more = sample.decentralized_in(stratum);
    runs.insert(runs.end(), more.begin(), more.end());
  }
  const std::string sentence = fmt::format(
      "accuracy {} with the {} (Spearman {:.2f}, 95 % interval {:.2f} to "
      "{:.2f}, {} seeds{}).",
      correlation.rho > 0 ? "rises" : "falls",
      correlation.title,
      correlation.rho,
      correlation.interval.low,
      correlation.interval.high,
      correlation.seeds,
      sample.diverged_text(runs));
  if (correlation.stratum) return sentence_at(*correlation.stratum, sentence);
  return "Over all scales and settings " + sentence;
}

// With connections and with the Gini coefficient over the whole run, which are
// fixed beforehand: the strongest of all metrics and phases would always find
// something.
void add_correlations(
    const Sample& sample,
    const Analysis& analysis,
    std::vector<std::string>& findings) {
  for (const Correlation& correlation : analysis.correlations) {
    const bool is_asked =
        correlation.phase == 0 &&
        (correlation.with == "connections" || correlation.with == "gini");
    if (is_asked && speaks(correlation)) {
      findings.push_back(correlation_text(sample, correlation));
    }
  }
}

// log(early / late) of the mean Gini coefficient of a run.
double log_fading(const RunData& run) {
  for (const Phases& phases : run.dispersion) {
    if (phases.metric == "gini" && phases.mean[1] > 0 && phases.mean[3] > 0) {
      return std::log(phases.mean[1] / phases.mean[3]);
    }
  }
  return kNan;
}

// Where the graph itself changes, so does the spread; those stay outside.
void add_fading(const Sample& sample, std::vector<std::string>& findings) {
  for (const Choices& stratum : sample.strata()) {
    std::map<uint64_t, std::vector<double>> by_seed;
    for (const int index : sample.decentralized_in(stratum)) {
      const RunData& run = sample.runs()[index];
      const double value = log_fading(run);
      if (run.spec.graph == "ada" || !std::isfinite(value)) continue;
      by_seed[run.spec.seed].push_back(value);
    }
    std::vector<double> means;
    for (const auto& [seed, values] : by_seed)
      means.push_back(mean(values));
    const MeanInterval result = mean_interval(means);
    if (!result.interval.exists() || !result.interval.excludes(0)) continue;
    const std::string sentence = fmt::format(
        "on fixed graphs the spread of the norms (Gini coefficient) is "
        "{:.2f} times as large in the first third of training as in the last "
        "(95 % interval {:.2f} to {:.2f}, {} seeds).",
        std::exp(result.mean),
        std::exp(result.interval.low),
        std::exp(result.interval.high),
        result.count);
    findings.push_back(sentence_at(stratum, sentence));
  }
}

std::string bytes_text(double bytes) {
  static constexpr std::array kUnits = {"B", "kB", "MB", "GB", "TB"};
  size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < kUnits.size()) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}", bytes, kUnits[unit]);
}

struct Spender {
  int group = -1;
  double bytes = kNan;
};

// The group that reaches the target with every run and the fewest bytes.
Spender thriftiest(
    const Sample& sample,
    const Target& target,
    const Choices& stratum,
    bool decentralized) {
  Spender best;
  for (const TargetRow& row : target.rows) {
    const Group& group = sample.group(row.group);
    if (group.stratum != stratum || row.reached < row.runs) continue;
    if (group.decentralized != decentralized) continue;
    if (!(row.bytes_per_worker.mean >= best.bytes) &&
        std::isfinite(row.bytes_per_worker.mean)) {
      best = {row.group, row.bytes_per_worker.mean};
    }
  }
  return best;
}

MeanInterval log_ratio(const Sample& sample, double accuracy, int a, int b) {
  const auto log_bytes = [&](const RunData& run) {
    const Milestone* milestone = first_reaching(run, accuracy);
    return milestone == nullptr ? kNan : std::log(milestone->bytes);
  };
  return paired_difference(
      sample.by_seed(a, log_bytes),
      sample.by_seed(b, log_bytes));
}

// All-reduce is among those compared, so that no saving is claimed that is not
// there.
std::string bytes_sentence(
    const Sample& sample,
    const Target& target,
    const Choices& stratum) {
  const Spender thrifty = thriftiest(sample, target, stratum, true);
  const Spender central = thriftiest(sample, target, stratum, false);
  if (thrifty.group < 0 || central.group < 0) return "";
  const MeanInterval ratio =
      log_ratio(sample, target.accuracy, thrifty.group, central.group);
  if (!ratio.interval.exists()) return "";
  const std::string figures = fmt::format(
      "{:.2f} times the {} of {} (95 % interval {:.2f} to {:.2f}, {} seeds)",
      std::exp(ratio.mean),
      bytes_text(central.bytes),
      sample.group(central.group).implementation,
      std::exp(ratio.interval.low),
      std::exp(ratio.interval.high),
      ratio.count);
  const std::string name = sample.group(thrifty.group).implementation;
  if (ratio.interval.high < 0) {
    return sentence_at_name(
        stratum,
        fmt::format(
            "{} reaches an accuracy of {:.4g} with the fewest bytes a worker: "
            "{}, {}.",
            name,
            target.accuracy,
            bytes_text(thrifty.bytes),
            figures));
  }
  return sentence_at(
      stratum,
      fmt::format(
          "nothing decentralized was shown to reach an accuracy of {:.4g} with "
          "fewer bytes a worker than all-reduce: the thriftiest, {}, sends "
          "{}, {}.",
          target.accuracy,
          name,
          bytes_text(thrifty.bytes),
          figures));
}

void add_bytes(
    const Sample& sample,
    const Target& target,
    std::vector<std::string>& findings) {
  for (const Choices& stratum : sample.strata()) {
    std::string sentence = bytes_sentence(sample, target, stratum);
    if (!sentence.empty()) findings.push_back(std::move(sentence));
  }
}

void add_diverged(const Sample& sample, std::vector<std::string>& findings) {
  for (const Group& group : sample.groups()) {
    const auto diverged = std::ranges::count_if(group.runs, [&](int run) {
      return sample.runs()[run].outcome == "diverged";
    });
    if (diverged == 0) continue;
    findings.push_back(fmt::format(
        "{}: {} of {} runs diverged.",
        group.label,
        diverged,
        group.runs.size()));
  }
}

} // namespace

std::vector<std::string> find(const Sample& sample, const Analysis& analysis) {
  std::vector<std::string> findings;
  add_correlations(sample, analysis, findings);
  for (const Comparison& comparison : analysis.comparisons) {
    if (!comparison.sentence.empty()) findings.push_back(comparison.sentence);
  }
  add_fading(sample, findings);
  add_bytes(sample, analysis.target, findings);
  add_diverged(sample, findings);
  return findings;
}

} // namespace grapevine::report
