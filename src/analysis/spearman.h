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

namespace grapevine::analysis {

// From 1; equal values get the mean of the ranks that they take together.
std::vector<double> ranks(std::span<const double> values);

// Spans of one length (checked), finite values.
double spearman(std::span<const double> x, std::span<const double> y);

// Spearman's rho of many samples drawn from the same pairs: the sorting is
// done once, so that a drawing costs O(pairs).
class SpearmanOfDrawings {
 public:
  SpearmanOfDrawings(std::span<const double> x, std::span<const double> y);

  // counts[i]: how often pair i was drawn. What spearman() gives for the
  // sample that holds every pair so often.
  double operator()(std::span<const int> counts) const;

 private:
  struct Order {
    std::vector<int> indices;       // by ascending value
    std::vector<bool> begins_group; // differs from the one before it
  };
  static Order order(std::span<const double> values);
  static std::vector<double> drawn_ranks(
      const Order& order,
      std::span<const int> counts);

  Order x_;
  Order y_;
};

} // namespace grapevine::analysis
