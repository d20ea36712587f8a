#include "report/detail_reader.h"

#include "report/record_fields.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace grapevine::report {
namespace {

constexpr int64_t kMostKeptNorms = 4'000'000;
constexpr int kMostHeatSteps = 240;
constexpr size_t kMostOutliers = 24;

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

DetailReader::DetailReader(DetailOptions options)
    : options_(std::move(options)) {}

void DetailReader::set_tensors(std::vector<std::string> tensors) {
  if (!tensors_.empty() || tensors.empty()) return;
  tensors_ = std::move(tensors);
  const auto count = static_cast<int64_t>(tensors_.size());
  const auto metrics = static_cast<int64_t>(options_.metrics.size());
  const int64_t points = options_.numbers_of_heat / (count * metrics);
  heat_.assign(
      options_.metrics.size(),
      Buckets(
          static_cast<int>(std::clamp<int64_t>(points, 8, kMostHeatSteps)),
          static_cast<int>(count)));
  const int64_t matrix = count * std::max(options_.replicas, 1);
  most_probes_ =
      static_cast<size_t>(std::clamp<int64_t>(kMostKeptNorms / matrix, 8, 256));
}

void DetailReader::add_dispersion(
    int64_t step,
    const simdjson::dom::object& fields) {
  for (size_t metric = 0; metric < heat_.size(); ++metric) {
    simdjson::dom::element found;
    if (fields.at_key(options_.metrics[metric]).get(found) !=
        simdjson::SUCCESS) {
      continue;
    }
    const std::span<Cell> cells = heat_[metric].at(step);
    for_numbers(
        fields,
        options_.metrics[metric],
        [&](size_t tensor, double value) {
          if (tensor < cells.size()) cells[tensor].add(value);
        });
  }
}

NormMatrix* DetailReader::matrix_at(int64_t step) {
  if (step % stride_ != 0) return nullptr;
  NormMatrix& matrix = norms_[step];
  if (matrix.empty()) {
    matrix.assign(options_.replicas * tensors_.size(), kNan);
  }
  if (norms_.size() <= most_probes_) return &matrix;
  while (norms_.size() > most_probes_) {
    stride_ *= 2;
    std::erase_if(norms_, [&](const auto& item) {
      return item.first % stride_ != 0;
    });
  }
  const auto found = norms_.find(step);
  return found == norms_.end() ? nullptr : &found->second;
}

void DetailReader::add_norms(
    int64_t step,
    const std::vector<int>& workers,
    const simdjson::dom::object& fields) {
  simdjson::dom::array rows;
  if (tensors_.empty() || workers.empty()) return;
  if (fields.at_key("norms").get(rows) != simdjson::SUCCESS) return;
  NormMatrix* matrix = matrix_at(step);
  if (matrix == nullptr) return;
  size_t hosted = 0;
  for (const simdjson::dom::element element : rows) {
    simdjson::dom::array row;
    if (hosted >= workers.size()) break;
    const int worker = workers[hosted++];
    if (worker < 0 || worker >= options_.replicas) continue;
    if (element.get(row) != simdjson::SUCCESS) continue;
    size_t at = static_cast<size_t>(worker) * tensors_.size();
    const size_t end = at + tensors_.size();
    for (const simdjson::dom::element value : row) {
      if (at == end) break;
      (*matrix)[at++] = static_cast<float>(number_of(value));
    }
  }
}

void DetailReader::fill_heat(Detail& detail) const {
  // All metrics come from the same lines; one that is absent in old runs has
  // no buckets.
  for (const Buckets& heat : heat_) {
    const auto buckets = heat.buckets();
    if (buckets.size() <= detail.step.size()) continue;
    detail.step.clear();
    for (const auto& bucket : buckets)
      detail.step.push_back(bucket.last_step);
  }
  for (size_t metric = 0; metric < heat_.size(); ++metric) {
    const auto buckets = heat_[metric].buckets();
    if (buckets.empty() || buckets.size() != detail.step.size()) continue;
    Heat heat{options_.metrics[metric], {}};
    for (size_t tensor = 0; tensor < tensors_.size(); ++tensor) {
      Column& row = heat.rows.emplace_back();
      for (const auto& bucket : buckets)
        row.push_back(bucket.cells[tensor].mean());
    }
    detail.heat.push_back(std::move(heat));
  }
}

Detail DetailReader::finish(const Timeline& timeline) const {
  Detail detail;
  detail.tensors = tensors_;
  fill_heat(detail);
  for (const int64_t step : detail.step)
    detail.epoch.push_back(timeline.epoch(step));
  detail.outliers =
      find_outliers(norms_, tensors_, options_.replicas, kMostOutliers);
  detail.norms = choose_norms(
      norms_,
      tensors_,
      options_.replicas,
      detail.outliers,
      options_.numbers_of_norms);
  return detail;
}

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
