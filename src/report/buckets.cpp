#include "report/buckets.h"

#include "base/check.h"

#include <algorithm>
#include <cmath>

namespace grapevine::report {

void Cell::add(double value) {
  if (!std::isfinite(value)) return;
  low = count == 0 ? value : std::min(low, value);
  high = count == 0 ? value : std::max(high, value);
  sum += value;
  ++count;
}

void Cell::merge(const Cell& other) {
  if (other.count == 0) return;
  low = count == 0 ? other.low : std::min(low, other.low);
  high = count == 0 ? other.high : std::max(high, other.high);
  sum += other.sum;
  count += other.count;
}

Buckets::Buckets(int capacity, int columns)
    : capacity_(capacity),
      columns_(columns) {
  GV_CHECK(capacity > 0);
}

std::span<Cell> Buckets::at(int64_t step) {
  GV_CHECK(step >= 0 && step <= kLargestStep);
  while (step / width_ >= capacity_)
    widen();
  const auto index = static_cast<size_t>(step / width_);
  if (index >= first_.size()) {
    first_.resize(index + 1, -1);
    last_.resize(index + 1, -1);
    cells_.resize((index + 1) * columns_);
  }
  first_[index] = first_[index] < 0 ? step : std::min(first_[index], step);
  last_[index] = std::max(last_[index], step);
  return std::span(cells_).subspan(index * columns_, columns_);
}

void Buckets::widen() {
  width_ *= 2;
  const size_t old = first_.size();
  for (size_t i = 0; i < old; ++i) {
    const size_t to = i / 2;
    if (i % 2 == 0) {
      first_[to] = first_[i];
      last_[to] = last_[i];
      std::copy_n(&cells_[i * columns_], columns_, &cells_[to * columns_]);
      continue;
    }
    if (first_[i] < 0) continue;
    first_[to] = first_[to] < 0 ? first_[i] : first_[to];
    last_[to] = last_[i];
    for (int column = 0; column < columns_; ++column) {
      cells_[to * columns_ + column].merge(cells_[i * columns_ + column]);
    }
  }
  first_.resize((old + 1) / 2);
  last_.resize(first_.size());
  cells_.resize(first_.size() * columns_);
}

std::vector<Buckets::Bucket> Buckets::buckets() const {
  std::vector<Bucket> filled;
  for (size_t i = 0; i < first_.size(); ++i) {
    if (first_[i] < 0) continue;
    filled.push_back(
        {first_[i],
         last_[i],
         std::span(cells_).subspan(i * columns_, columns_)});
  }
  return filled;
}

Buckets Buckets::reduced(int capacity) const {
  Buckets copy = *this;
  copy.capacity_ = capacity;
  const auto is_filled = [](int64_t first) { return first >= 0; };
  while (std::ranges::count_if(copy.first_, is_filled) > capacity)
    copy.widen();
  return copy;
}

} // namespace grapevine::report
