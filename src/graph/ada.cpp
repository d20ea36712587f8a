// Ada: a ring lattice whose coordination number falls, dense while the
// replicas differ most, sparse later.
//
//   by epoch   k = max(floor(k0 - gamma * epoch), k_min)
//   by step    the same with fractions of epochs
//   control    k as algo/ada_control.h finds it, part of the step time
//   k >= n-2 is the complete graph; below that, k is made even downwards;
//   x_i <- mean of x_{i-k/2} .. x_{i+k/2}
//
// arXiv 2509.12213 has the first; k_min = 2 there. Defaults: k0 = n-1
// (complete) and gamma = (k0-k_min) / max(1, epochs-1), which ends in the
// sparsest graph in the last epoch.
//
// Cost a step and worker: that of the lattice with k, at most 4 model copies.
// Symmetric.
#include "graph/graphs.h"
#include "graph/schedule.h"

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
  Ada(int n, const AdaOptions& options) : n_(n), options_(options) {}

  std::shared_ptr<const Mixing> at(StepTime time) const override {
    GV_CHECK_GE(time.epoch, 0);
    const int k = lattice_k(n_, wanted_k(time));
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
  int wanted_k(const StepTime& time) const {
    if (options_.by == AdaBy::kControl) {
      return time.k > 0 ? time.k : options_.k0;
    }
    const double epochs = options_.by == AdaBy::kStep
                              ? time.epochs_done
                              : static_cast<double>(time.epoch);
    const double falling = options_.k0 - options_.gamma * epochs;
    // The floor keeps a huge gamma * epochs inside an int.
    return static_cast<int>(
        std::floor(std::max(falling, static_cast<double>(options_.k_min))));
  }

  const int n_;
  const AdaOptions options_;
  mutable std::mutex mutex_;
  // Guarded by mutex_. A lattice holds no rows, so all that were used are kept.
  mutable std::map<int, std::shared_ptr<const Mixing>> by_k_;
};

} // namespace

int lattice_k(int n, int k) {
  if (k >= n - 2) return n - 1;
  return std::max(2, k - k % 2);
}

std::unique_ptr<Schedule> make_ada(int n, AdaOptions options) {
  if (options.k0 < 0 || (options.k0 == 1 && n > 2)) {
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
  if (options.k_min < 2) {
    throw ConfigError(fmt::format(
        "graph ada: k-min must be at least 2, got {}; nearest that works: 2",
        options.k_min));
  }
  if (options.by == AdaBy::kControl && options.gamma >= 0) {
    throw ConfigError(
        "graph ada: gamma belongs to ada = epoch or step; with ada = auto the "
        "replicas' spread decides");
  }
  if (options.k0 == 0) options.k0 = n - 1;
  if (options.k_min > std::max(options.k0, 2)) {
    throw ConfigError(fmt::format(
        "graph ada: k falls from k0 = {} and cannot end at k-min = {}; nearest "
        "that works: {}",
        options.k0,
        options.k_min,
        std::max(options.k0, 2)));
  }
  if (options.gamma < 0) {
    const double fall = std::max(options.k0 - options.k_min, 0);
    options.gamma =
        fall / static_cast<double>(std::max<int64_t>(1, options.epochs - 1));
  }
  return std::make_unique<Ada>(n, options);
}

} // namespace grapevine::graph
