#include "report/detail_reader.h"

#include "report/record_fields.h"

#include <algorithm>

namespace grapevine::report {
namespace {

constexpr int64_t kMostKeptNorms = 4'000'000;
constexpr int kMostHeatSteps = 240;
constexpr size_t kMostOutliers = 24;

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

Detail DetailReader::finish_without_epochs() const {
  Detail detail;
  detail.tensors = tensors_;
  fill_heat(detail);
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

} // namespace grapevine::report
