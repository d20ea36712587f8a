// Spearman's rank correlation: Pearson's correlation of the ranks, equal
// values sharing the mean of their ranks.
//
//   rho = cov(rank x, rank y) / (sd(rank x) sd(rank y))
//
// NaN where x or y has no two different values. It depends on the order of
// the values alone, so any increasing transformation leaves it unchanged.
#pragma once

#include <span>
#include <vector>

namespace grapevine::report {

// From 1; equal values get the mean of the ranks that they take together.
std::vector<double> ranks(std::span<const double> values);

// Spans of one length (checked), finite values.
double spearman(std::span<const double> x, std::span<const double> y);

} // namespace grapevine::report
