#include "algo/gradient_tracking.h"

#include "kernel/track.h"

namespace grapevine::algo {

// Behind the planes of the local rule; others may follow it.
float* GradientTracking::tracker_of(arena::Arena& arena) const {
  return arena.state(rule_planes_).data();
}

std::vector<std::string> GradientTracking::state_planes() const {
  std::vector<std::string> names = AdaptThenCombine::state_planes();
  names.push_back("tracker");
  return names;
}

void GradientTracking::before_exchange(
    arena::Arena& arena,
    Range range,
    const optim::StepInfo& info,
    std::span<double> block_squares) const {
  kernel::track(
      arena.gradients().data() + range.begin,
      tracker_of(arena) + range.begin,
      range.size());
  AdaptThenCombine::before_exchange(arena, range, info, block_squares);
}

void GradientTracking::after_gradients(arena::Arena& arena, Range range) const {
  kernel::keep_lead(
      arena.gradients().data() + range.begin,
      tracker_of(arena) + range.begin,
      range.size());
}

} // namespace grapevine::algo
