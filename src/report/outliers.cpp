#include "report/detail_reader.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace grapevine::report {
namespace {

constexpr double kOutlierZ = 3.5;

struct Tally {
  int probes = 0;
  double z = 0;
};

// `count` of 0..size-1, evenly spaced, both ends among them.
std::vector<int> spread_out(int64_t size, int64_t count) {
  std::vector<int> chosen;
  count = std::min(size, std::max<int64_t>(count, 1));
  for (int64_t i = 0; i < count; ++i) {
    chosen.push_back(
        static_cast<int>(count == 1 ? 0 : i * (size - 1) / (count - 1)));
  }
  return chosen;
}

// How many steps, replicas and tensors: what is easiest to do without is
// thinned first.
struct Shape {
  int64_t steps;
  int64_t replicas;
  int64_t tensors;

  int64_t numbers() const { return steps * replicas * tensors; }
  static void thin(int64_t& count) { count -= (count + 7) / 8; }
  // False when nothing can be spared.
  bool shrink() {
    if (steps > 40) return thin(steps), true;
    if (replicas > 64) return thin(replicas), true;
    if (tensors > 24) return thin(tensors), true;
    if (steps > 16) return thin(steps), true;
    if (replicas > 16) return thin(replicas), true;
    if (tensors > 4) return thin(tensors), true;
    return false;
  }
};

} // namespace

std::vector<Outlier> find_outliers(
    const std::map<int64_t, NormMatrix>& norms,
    const std::vector<std::string>& tensors,
    int replicas,
    size_t most) {
  std::vector<Outlier> outliers;
  std::vector<double> values(replicas);
  for (size_t tensor = 0; tensor < tensors.size(); ++tensor) {
    std::vector<Tally> tallies(replicas);
    for (const auto& [step, matrix] : norms) {
      for (int replica = 0; replica < replicas; ++replica)
        values[replica] = matrix[replica * tensors.size() + tensor];
      const std::vector<double> z = robust_z(values);
      for (int replica = 0; replica < replicas; ++replica) {
        if (!(std::abs(z[replica]) > kOutlierZ)) continue;
        Tally& tally = tallies[replica];
        ++tally.probes;
        if (std::abs(z[replica]) > std::abs(tally.z)) tally.z = z[replica];
      }
    }
    for (int replica = 0; replica < replicas; ++replica) {
      if (tallies[replica].probes == 0) continue;
      outliers.push_back(
          {tensors[tensor],
           replica,
           static_cast<double>(tallies[replica].probes) /
               static_cast<double>(norms.size()),
           tallies[replica].z});
    }
  }
  std::ranges::stable_sort(outliers, [](const Outlier& a, const Outlier& b) {
    return std::tuple(-a.share, -std::abs(a.z)) <
           std::tuple(-b.share, -std::abs(b.z));
  });
  if (outliers.size() > most) outliers.resize(most);
  return outliers;
}

std::vector<TensorNorms> choose_norms(
    const std::map<int64_t, NormMatrix>& norms,
    const std::vector<std::string>& tensors,
    int replicas,
    const std::vector<Outlier>& outliers,
    int64_t numbers) {
  if (norms.empty() || replicas == 0) return {};
  Shape shape{
      static_cast<int64_t>(norms.size()),
      replicas,
      static_cast<int64_t>(tensors.size())};
  while (shape.numbers() > numbers && shape.shrink()) {
  }
  std::vector<const std::pair<const int64_t, NormMatrix>*> probes;
  for (const auto& probe : norms)
    probes.push_back(&probe);
  const std::vector<int> steps =
      spread_out(static_cast<int64_t>(probes.size()), shape.steps);
  const std::vector<int> even = spread_out(replicas, shape.replicas);

  std::vector<TensorNorms> chosen;
  for (const int tensor :
       spread_out(static_cast<int64_t>(tensors.size()), shape.tensors)) {
    std::set<int> wanted(even.begin(), even.end());
    for (const Outlier& outlier : outliers) {
      if (outlier.tensor == tensors[tensor]) wanted.insert(outlier.replica);
    }
    TensorNorms& entry = chosen.emplace_back();
    entry.tensor = tensors[tensor];
    entry.replicas.assign(wanted.begin(), wanted.end());
    for (const int step : steps)
      entry.step.push_back(probes[step]->first);
    for (const int replica : entry.replicas) {
      Column& column = entry.values.emplace_back();
      for (const int step : steps) {
        column.push_back(
            probes[step]->second[replica * tensors.size() + tensor]);
      }
    }
  }
  return chosen;
}

} // namespace grapevine::report
