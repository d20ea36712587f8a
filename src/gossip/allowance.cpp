#include "gossip/allowance.h"

#include "base/random.h"

#include <cmath>

namespace grapevine::gossip {
namespace {

// Counts how many exponential waits fit into `mean`.
int64_t poisson(double mean, Random& random) {
  int64_t count = -1;
  for (double left = mean; left >= 0; ++count)
    left += std::log1p(-random.uniform());
  return count;
}

} // namespace

int64_t allowance(
    Averagings kind,
    double rate,
    uint64_t seed,
    int rank,
    int64_t gradient) {
  if (kind == Averagings::kExact) {
    const auto k = static_cast<double>(gradient);
    return std::llround(std::floor(rate * (k + 1)) - std::floor(rate * k));
  }
  if (rate == 0) return 0;
  // Rank and gradient of its own kind of gossip's chance: the order of asking
  // has (rank, number), too.
  constexpr uint64_t kAllowances = uint64_t{1} << 32;
  Random random(
      seed,
      Purpose::kGossip,
      kAllowances + static_cast<uint64_t>(rank),
      static_cast<uint64_t>(gradient));
  return poisson(rate, random);
}

} // namespace grapevine::gossip
