#include "algo/ada_control.h"

#include "base/check.h"
#include "graph/graphs.h"

#include <algorithm>
#include <cmath>

namespace grapevine::algo {

AdaControl::AdaControl(const AdaControlOptions& options)
    : options_(options),
      densest_(graph::lattice_k(
          options.n,
          options.k0 == 0 ? options.n - 1 : options.k0)) {
  GV_CHECK(options_.level > 0);
  GV_CHECK(options_.hysteresis >= 0 && options_.hysteresis < 1);
  state_.k = densest_;
}

SpreadSums AdaControl::contribution(double norm) const {
  const double excess = norm - state_.mean;
  return {excess, excess * excess};
}

void AdaControl::observe(const SpreadSums& sums) {
  if (!std::isfinite(sums.excess) || !std::isfinite(sums.squares)) return;
  const auto n = static_cast<double>(options_.n);
  const double excess = sums.excess / n;
  const double variance = std::max(0.0, sums.squares / n - excess * excess);
  state_.mean += excess;
  if (state_.mean == 0) return;
  state_.spread = std::sqrt(variance) / state_.mean;
  const bool is_first = state_.smoothed < 0;
  state_.smoothed =
      is_first ? state_.spread : (state_.smoothed + state_.spread) / 2;
  decide();
}

std::optional<double> AdaControl::threshold() const {
  if (state_.smoothed < 0) return std::nullopt;
  return options_.level * state_.reference;
}

void AdaControl::decide() {
  if (state_.k == densest_) {
    state_.reference = std::max(state_.reference, state_.smoothed);
  }
  const double level = options_.level * state_.reference;
  const bool is_calm = state_.smoothed < level * (1 - options_.hysteresis);
  const bool is_wild = state_.smoothed > level * (1 + options_.hysteresis);
  state_.calm = is_calm ? state_.calm + 1 : 0;
  if (is_wild) {
    state_.k = graph::lattice_k(options_.n, std::min(2 * state_.k, densest_));
  } else if (state_.calm >= options_.patience) {
    const int least = graph::lattice_k(options_.n, options_.k_min);
    state_.k = graph::lattice_k(options_.n, std::max(state_.k / 2, least));
    state_.calm = 0;
  }
}

} // namespace grapevine::algo
