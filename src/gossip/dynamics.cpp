#include "gossip/dynamics.h"

#include "base/error.h"

#include <cmath>

namespace grapevine::gossip {

Dynamics plain_dynamics() {
  return {};
}

Dynamics
accelerated_dynamics(const graph::Spectrum& spectrum, int n, double rate) {
  if (n == 1 || rate == 0) return plain_dynamics();
  if (!spectrum.chi1 || !spectrum.chi2) {
    throw ConfigError(
        "the graph is not connected, so gossip over it has no constants");
  }
  // Both chis fall with the rate: eta grows with it, alpha_y does not change.
  const double chi1 = *spectrum.chi1 / rate;
  const double chi2 = *spectrum.chi2 / rate;
  return {
      .eta = 1 / (2 * std::sqrt(chi1 * chi2)),
      .alpha = 0.5,
      .alpha_y = std::sqrt(chi1 / chi2) / 2};
}

double flow_share(const Dynamics& dynamics, double tau) {
  return -std::expm1(-2 * dynamics.eta * tau) / 2;
}

} // namespace grapevine::gossip
