// How unequal n positive numbers are: the norms of one tensor on n replicas.
//
// With values s_1..s_n, mean m, population standard deviation s and quartiles
// Q1, Q3 (type 7):
//
//   Gini                      sum_ij |s_i - s_j| / (2 n^2 m)
//   index of dispersion       s^2 / m
//   coefficient of variation  s / m
//   quartile coefficient      (Q3 - Q1) / (Q3 + Q1)
//
// "Scaling Up Data Parallelism in Decentralized Deep Learning", arXiv
// 2509.12213. O(n log n).
#pragma once

#include <span>

namespace grapevine::probe {

struct Dispersion {
  double gini = 0;
  double index_of_dispersion = 0;
  double coefficient_of_variation = 0;
  double quartile_coefficient = 0;
};

// At least one value (checked). Equal values, all zero among them, give
// exactly 0; the order of the values does not change a bit of the result. A
// value that is not finite makes all four NaN; a measure whose denominator is
// 0 or that overflows is NaN by itself. NaN is null in the records.
Dispersion dispersion(std::span<const double> values);

// The quantile p in [0, 1] of ascending values by linear interpolation
// between the order statistics around (n-1) p: type 7 of Hyndman and Fan.
double quantile_type7(std::span<const double> ascending, double p);

} // namespace grapevine::probe
