// Differences between two groups, paired by seed, with a sentence each if the
// interval excludes 0.
#include "report/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace grapevine::report {
namespace {

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

// Fills in the difference of asked.a to asked.b and the sentence: `above` or
// `below` with the figures.
Comparison compare(
    const Sample& sample,
    Comparison asked,
    const std::string& above,
    const std::string& below) {
  asked.difference = paired_difference(
      sample.accuracy_by_seed(asked.a),
      sample.accuracy_by_seed(asked.b));
  const MeanInterval& difference = asked.difference;
  if (difference.interval.exists() && difference.interval.excludes(0)) {
    std::vector<int> runs = sample.runs_of(asked.a);
    const std::vector<int> more = sample.runs_of(asked.b);
    runs.insert(runs.end(), more.begin(), more.end());
    asked.sentence = fmt::format(
        "{} by {}{}.",
        difference.mean > 0 ? above : below,
        points_text(difference),
        sample.diverged_text(runs));
  }
  return asked;
}

// Groups of one implementation that are equal but for one key of the stratum.
struct Family {
  std::string implementation;
  Choices rest; // the stratum without the key
  std::vector<int> groups;

  Stratum stratum() const { return rest.empty() ? Stratum() : Stratum(rest); }
};

std::vector<Family> families(const Sample& sample, const std::string& key) {
  std::map<std::pair<std::string, Choices>, std::vector<int>> found;
  if (!sample.has_key(key)) return {};
  for (const Group& group : sample.groups()) {
    if (sample.runs_of(group.id).empty()) continue;
    Choices rest = group.stratum;
    std::erase_if(rest, [&](const auto& choice) {
      return choice.first == key;
    });
    found[{group.implementation, rest}].push_back(group.id);
  }
  std::vector<Family> all;
  for (const auto& [name, groups] : found)
    all.push_back({name.first, name.second, groups});
  return all;
}

// The group with the most workers against that with the fewest.
void compare_scales(const Sample& sample, std::vector<Comparison>& all) {
  for (const Family& family : families(sample, "n")) {
    const auto workers = [&](int id) { return sample.group(id).n; };
    const auto ends = std::ranges::minmax(family.groups, {}, workers);
    const int from = workers(ends.min);
    const int to = workers(ends.max);
    if (from == to) continue;
    const std::string sentence = fmt::format(
        "From n = {} to n = {} the accuracy of {}{}",
        from,
        to,
        family.implementation,
        family.rest.empty() ? "" : " at " + to_text(family.rest));
    all.push_back(compare(
        sample,
        {.what = fmt::format(
             "{} at n = {} against n = {}",
             family.implementation,
             to,
             from),
         .stratum = family.stratum(),
         .a = ends.max,
         .b = ends.min},
        sentence + " rises",
        sentence + " falls"));
  }
}

void compare_scalings(const Sample& sample, std::vector<Comparison>& all) {
  const std::string key = "lr-scaling";
  for (const Family& family : families(sample, key)) {
    const auto with = [&](const std::string& value) {
      const auto found = std::ranges::find_if(family.groups, [&](int id) {
        return value_of(sample.group(id).stratum, key) == value;
      });
      return found == family.groups.end() ? -1 : *found;
    };
    const int root = with("sqrt");
    const int linear = with("linear");
    if (root < 0 || linear < 0) continue;
    const auto sentence = [&](const char* how) {
      return sentence_at(
          family.rest,
          fmt::format(
              "the learning rate scaled by the square root gives {} a {} "
              "accuracy than scaled linearly,",
              family.implementation,
              how));
    };
    all.push_back(compare(
        sample,
        {.what = fmt::format(
             "{}: sqrt against linear scaling",
             family.implementation),
         .stratum = family.stratum(),
         .a = root,
         .b = linear},
        sentence("higher"),
        sentence("lower")));
  }
}

double mean_accuracy(const Sample& sample, int group) {
  std::vector<double> values;
  for (const auto& [seed, value] : sample.accuracy_by_seed(group))
    values.push_back(value);
  return mean(values);
}

// The graph of a group's runs; empty if none of them counts.
std::string graph_of(const Sample& sample, int group) {
  const std::vector<int> runs = sample.runs_of(group);
  return runs.empty() ? "" : sample.runs()[runs.front()].spec.graph;
}

// The best decentralized group of a stratum on one of the graphs; -1 if there
// is none.
int best_of(
    const Sample& sample,
    const Choices& stratum,
    std::initializer_list<std::string_view> graphs) {
  int best = -1;
  for (const int id : sample.groups_in(stratum)) {
    const bool is_wanted = sample.group(id).decentralized &&
                           std::ranges::count(graphs, graph_of(sample, id)) > 0;
    if (!is_wanted) continue;
    if (best < 0 || mean_accuracy(sample, id) > mean_accuracy(sample, best)) {
      best = id;
    }
  }
  return best;
}

// Ada against the best rival on the complete graph and on a sparse one.
void compare_ada(const Sample& sample, std::vector<Comparison>& all) {
  for (const Choices& stratum : sample.strata()) {
    const auto against = [&](int ada, int rival, const char* rival_text) {
      if (rival < 0) return;
      const std::string name = sample.group(ada).implementation;
      const std::string rival_name = fmt::format(
          fmt::runtime(rival_text),
          sample.group(rival).implementation);
      all.push_back(compare(
          sample,
          {.what = fmt::format("{} against {}", name, rival_name),
           .stratum = stratum,
           .a = ada,
           .b = rival},
          sentence_at_name(stratum, name + " is above " + rival_name),
          sentence_at_name(stratum, name + " is below " + rival_name)));
    };
    const int complete = best_of(sample, stratum, {"complete"});
    const int sparse =
        best_of(sample, stratum, {"ring", "torus", "exponential"});
    for (const int id : sample.groups_in(stratum)) {
      if (graph_of(sample, id) != "ada") continue;
      against(id, complete, "{}");
      against(id, sparse, "the best fixed sparse graph ({})");
    }
  }
}

} // namespace

std::vector<Comparison> compare(const Sample& sample) {
  std::vector<Comparison> all;
  compare_scales(sample, all);
  compare_scalings(sample, all);
  compare_ada(sample, all);
  return all;
}

} // namespace grapevine::report
