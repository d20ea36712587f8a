// How unequal the norms of one tensor are over the replicas: the metrics, in
// one table.
//
// With the norms s_1..s_n, their mean m, population standard deviation s and
// quartiles Q1, Q3 (type 7); from "Scaling Up Data Parallelism in
// Decentralized Deep Learning", arXiv 2509.12213:
//
//   Gini coefficient          sum_ij |s_i - s_j| / (2 n^2 m)
//   index of dispersion       s^2 / m
//   coefficient of variation  s / m
//   quartile coefficient      (Q3 - Q1) / (Q3 + Q1)
//
// The table feeds the records (a key per metric), the schema of series, the
// analysis and the page, so a new metric is one line in dispersion.cpp.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace grapevine::record {

// n numbers prepared for all metrics: sorted once, summed once.
class NormSample {
 public:
  // At least one value (checked).
  explicit NormSample(std::span<const double> values);

  std::span<const double> ascending() const { return ascending_; }
  double size() const { return static_cast<double>(ascending_.size()); }
  double mean() const { return mean_; }
  double variance() const { return variance_; } // of the population
  // sum_ij |s_i - s_j| / 2
  double half_differences() const { return half_differences_; }
  // p in [0, 1], type 7.
  double quantile(double p) const;

 private:
  std::vector<double> ascending_;
  double mean_ = 0;
  double variance_ = 0;
  double half_differences_ = 0;
};

struct Metric {
  std::string name;    // the key in the records: "gini"
  std::string title;   // for people: "Gini coefficient"
  std::string meaning; // one sentence on what it says
  // Of values that are finite and not all equal. A result that is not finite
  // (a denominator of 0, an overflow) counts as undefined.
  double (*measure)(const NormSample&);
};

// In the order of the records and the page. Names are unique.
const std::vector<Metric>& metric_table();

// Returns every metric of the table, in its order. At least one value
// (checked). Equal values, all zero among them, give exactly 0; the order of
// the values does not change a bit of the result. A value that is not finite
// makes all of them NaN; one that is undefined is NaN by itself. NaN is null
// in the records. O(n log n).
std::vector<double> measure_all(std::span<const double> values);

// Returns the quantile p in [0, 1] of ascending values by linear interpolation
// between the order statistics around (n-1) p: type 7 of Hyndman and Fan.
double quantile_type7(std::span<const double> ascending, double p);

} // namespace grapevine::record
