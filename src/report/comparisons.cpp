#include "report/comparisons.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace grapevine::report {
namespace {

Choices without(const Choices& choices, const std::string& key) {
  Choices rest = choices;
  std::erase_if(rest, [&](const auto& choice) { return choice.first == key; });
  return rest;
}

// "0.52 points (95 % interval 0.31 to 0.73, 3 seeds)", of the size.
std::string points_text(const MeanInterval& difference) {
  const double sign = difference.mean < 0 ? -100 : 100;
  const double one = sign * difference.interval.low;
  const double other = sign * difference.interval.high;
  return fmt::format(
      "{:.2f} points (95 % interval {:.2f} to {:.2f}, {} seeds)",
      sign * difference.mean,
      std::min(one, other),
      std::max(one, other),
      difference.count);
}

std::string diverged_text(const Sample& sample, int a, int b) {
  std::vector<int> runs = sample.runs_of(a);
  const std::vector<int> more = sample.runs_of(b);
  runs.insert(runs.end(), more.begin(), more.end());
  return sample.diverged_text(runs);
}

// words(difference) is the sentence without the figures.
template <typename Words>
Comparison compare(
    const Sample& sample,
    std::string what,
    const Stratum& stratum,
    int a,
    int b,
    const Words& words) {
  Comparison result{
      .what = std::move(what),
      .stratum = stratum,
      .a = a,
      .b = b,
      .difference = paired_difference(
          sample.accuracy_by_seed(a),
          sample.accuracy_by_seed(b))};
  const MeanInterval& difference = result.difference;
  if (difference.interval.exists() && difference.interval.excludes(0)) {
    result.sentence = fmt::format(
        "{} by {}{}.",
        words(difference.mean),
        points_text(difference),
        diverged_text(sample, a, b));
  }
  return result;
}

// Groups that are equal but for one key of the stratum.
using Family = std::pair<std::string, Choices>;
std::map<Family, std::vector<int>> families(
    const Sample& sample,
    const std::string& key) {
  std::map<Family, std::vector<int>> result;
  for (const Group& group : sample.groups()) {
    if (sample.runs_of(group.id).empty()) continue;
    result[{group.implementation, without(group.stratum, key)}].push_back(
        group.id);
  }
  return result;
}

std::string where_text(const Choices& rest) {
  return rest.empty() ? "" : fmt::format(" at {}", to_text(rest));
}

double mean_accuracy(const Sample& sample, int group) {
  std::vector<double> values;
  for (const auto& [seed, value] : sample.accuracy_by_seed(group))
    values.push_back(value);
  return mean(values);
}

// Nothing (-1) where there is none.
template <typename Wanted>
int best_of(
    const Sample& sample,
    const std::vector<int>& groups,
    const Wanted& wanted) {
  int best = -1;
  for (const int id : groups) {
    const auto& runs = sample.runs_of(id);
    if (runs.empty() || !sample.group(id).decentralized) continue;
    if (!wanted(sample.runs()[runs.front()].spec.graph)) continue;
    if (best < 0 || mean_accuracy(sample, id) > mean_accuracy(sample, best)) {
      best = id;
    }
  }
  return best;
}

bool is_sparse(const std::string& graph) {
  return graph == "ring" || graph == "torus" || graph == "exponential";
}

Comparison compare_ada_with(
    const Sample& sample,
    const Choices& stratum,
    int ada,
    int other,
    const std::string& other_name) {
  const std::string name = sample.group(ada).implementation;
  return compare(
      sample,
      fmt::format("{} against {}", name, other_name),
      stratum,
      ada,
      other,
      [&](double difference) {
        return sentence_at_name(
            stratum,
            fmt::format(
                "{} is {} {}",
                name,
                difference > 0 ? "above" : "below",
                other_name));
      });
}

} // namespace

std::vector<Comparison> compare_scales(const Sample& sample) {
  std::vector<Comparison> all;
  if (!sample.has_key("n")) return all;
  for (const auto& [family, groups] : families(sample, "n")) {
    const auto [small, large] = std::ranges::minmax(groups, {}, [&](int id) {
      return sample.group(id).n;
    });
    const int from = sample.group(small).n;
    const int to = sample.group(large).n;
    if (from == to) continue;
    // By name: clang 14 does not let a lambda capture a binding.
    const auto& implementation = family.first;
    const auto& rest = family.second;
    all.push_back(compare(
        sample,
        fmt::format("{} at n = {} against n = {}", implementation, to, from),
        rest.empty() ? Stratum() : Stratum(rest),
        large,
        small,
        [&](double difference) {
          return fmt::format(
              "From n = {} to n = {} the accuracy of {}{} {}",
              from,
              to,
              implementation,
              where_text(rest),
              difference > 0 ? "rises" : "falls");
        }));
  }
  return all;
}

std::vector<Comparison> compare_scalings(const Sample& sample) {
  std::vector<Comparison> all;
  const std::string key = "lr-scaling";
  if (!sample.has_key(key)) return all;
  for (const auto& each : families(sample, key)) {
    const auto& family = each.first;
    const auto& groups = each.second;
    const auto with = [&](const std::string& value) {
      const auto found = std::ranges::find_if(groups, [&](int id) {
        return value_of(sample.group(id).stratum, key) == value;
      });
      return found == groups.end() ? -1 : *found;
    };
    const int root = with("sqrt");
    const int linear = with("linear");
    if (root < 0 || linear < 0) continue;
    const auto& implementation = family.first;
    const auto& rest = family.second;
    all.push_back(compare(
        sample,
        fmt::format("{}: sqrt against linear scaling", implementation),
        rest.empty() ? Stratum() : Stratum(rest),
        root,
        linear,
        [&](double difference) {
          return sentence_at(
              rest,
              fmt::format(
                  "the learning rate scaled by the square root gives {} a {} "
                  "accuracy than scaled linearly,",
                  implementation,
                  difference > 0 ? "higher" : "lower"));
        }));
  }
  return all;
}

std::vector<Comparison> compare_ada(const Sample& sample) {
  std::vector<Comparison> all;
  for (const Choices& stratum : sample.strata()) {
    const std::vector<int> groups = sample.groups_in(stratum);
    const int complete = best_of(sample, groups, [](const std::string& graph) {
      return graph == "complete";
    });
    const int sparse = best_of(sample, groups, is_sparse);
    for (const int id : groups) {
      const std::vector<int> runs = sample.runs_of(id);
      if (runs.empty() || sample.runs()[runs.front()].spec.graph != "ada") {
        continue;
      }
      if (complete >= 0) {
        all.push_back(compare_ada_with(
            sample,
            stratum,
            id,
            complete,
            sample.group(complete).implementation));
      }
      if (sparse >= 0) {
        all.push_back(compare_ada_with(
            sample,
            stratum,
            id,
            sparse,
            "the best fixed sparse graph (" +
                sample.group(sparse).implementation + ")"));
      }
    }
  }
  return all;
}

} // namespace grapevine::report
