// Ada: a ring lattice whose coordination number falls with the epochs, dense
// while the replicas differ most, sparse later.
//
//   k(epoch) = max(floor(k0 - gamma * epoch), 2)
//   k >= n-2 is the complete graph; below that, k is made even downwards;
//   x_i <- mean of x_{i-k/2} .. x_{i+k/2}
//
// arXiv 2509.12213. Defaults: k0 = n-1 (complete) and
// gamma = (k0-2) / max(1, epochs-1), which ends in the ring in the last epoch.
//
// Cost a step and worker: that of the lattice with k(epoch), at most 4 model
// copies. Symmetric.
#include "graph/schedules.h"

#include "base/check.h"
#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

namespace grapevine::graph {
namespace {

class Ada : public Schedule {
 public:
  Ada(int n, int k0, double gamma) : n_(n), k0_(k0), gamma_(gamma) {}

  std::shared_ptr<const Mixing> at(Moment moment) const override {
    GV_CHECK_GE(moment.epoch, 0);
    const int k = k_at(moment.epoch);
    const std::lock_guard lock(mutex_);
    auto& mixing = by_k_[k];
    if (!mixing)
      mixing = std::make_shared<const Mixing>(Mixing::lattice(n_, k));
    return mixing;
  }

  int period() const override { return 0; }
  int sample_steps() const override { return 1; }
  int n() const override { return n_; }

 private:
  int k_at(int64_t epoch) const {
    const double falling = k0_ - gamma_ * static_cast<double>(epoch);
    // The cap keeps a huge gamma * epoch inside an int.
    const int k = static_cast<int>(std::floor(std::max(falling, 2.0)));
    return k >= n_ - 2 ? n_ - 1 : k - k % 2;
  }

  const int n_;
  const int k0_;
  const double gamma_;
  mutable std::mutex mutex_;
  // Guarded by mutex_. A lattice holds no rows, so all that were used are kept.
  mutable std::map<int, std::shared_ptr<const Mixing>> by_k_;
};

} // namespace

std::unique_ptr<Schedule> make_ada(int n, AdaOptions options) {
  if (options.k0 < 0) {
    throw ConfigError(fmt::format(
        "graph ada: k0 must be at least 2 (or 0 for n-1), got {}; nearest "
        "that works: 2",
        options.k0));
  }
  if (!std::isfinite(options.gamma)) {
    throw ConfigError(fmt::format(
        "graph ada: gamma must be a finite number, got {}",
        options.gamma));
  }
  const int k0 = options.k0 == 0 ? n - 1 : options.k0;
  double gamma = options.gamma;
  if (gamma < 0) {
    const double fall = std::max(k0 - 2, 0);
    gamma =
        fall / static_cast<double>(std::max<int64_t>(1, options.epochs - 1));
  }
  return std::make_unique<Ada>(n, k0, gamma);
}

} // namespace grapevine::graph
