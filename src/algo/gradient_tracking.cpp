#include "algo/gradient_tracking.h"

#include "kernel/track.h"

namespace grapevine::algo {
namespace {

// Behind the planes of the local rule.
float* tracker_of(arena::Arena& arena) {
  return arena.state(arena.state_planes() - 1).data();
}

} // namespace

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
