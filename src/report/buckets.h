// Long curves in bounded memory: values by step, gathered in buckets of equal
// width. When the buckets are full their width doubles, so the number of
// buckets never exceeds the capacity and equal steps always give equal
// buckets: curves of runs of one length lie on one grid.
//
// A bucket keeps the sum and the count of each column, hence the true mean,
// and the true smallest and largest value: down-sampling hides no peak.
#pragma once

#include "report/statistics.h"

#include <cstdint>
#include <span>
#include <vector>

namespace grapevine::report {

struct Cell {
  double sum = 0;
  int64_t count = 0;
  double low = kNan;
  double high = kNan;

  // What is not finite is left out.
  void add(double value);
  void merge(const Cell& other);
  double mean() const {
    return count > 0 ? sum / static_cast<double>(count) : kNan;
  }
};

class Buckets {
 public:
  // Lines with larger steps are damaged.
  static constexpr int64_t kLargestStep = int64_t{1} << 40;

  Buckets(int capacity, int columns);

  // The cells of the bucket that the step falls into, one a column; valid
  // until the next call. Steps come in any order, 0 <= step <= kLargestStep
  // (checked).
  std::span<Cell> at(int64_t step);

  int64_t width() const { return width_; }
  int columns() const { return columns_; }
  // The buckets that hold a step, in order.
  struct Bucket {
    int64_t first_step; // of those that came
    int64_t last_step;
    std::span<const Cell> cells;
  };
  std::vector<Bucket> buckets() const;
  bool empty() const { return first_.empty(); }

  // The same values in at most `capacity` buckets that hold a step.
  Buckets reduced(int capacity) const;

 private:
  void widen();

  int capacity_;
  int columns_;
  int64_t width_ = 1;
  std::vector<int64_t> first_; // -1 = empty
  std::vector<int64_t> last_;
  std::vector<Cell> cells_; // [bucket][column]
};

} // namespace grapevine::report
