#include "train/moving_average.h"

#include "algo/agreement.h"
#include "kernel/elementwise.h"

#include <algorithm>

namespace grapevine::train {

void begin_moving_average(const Setup& setup, arena::Arena& arena) {
  if (!setup.has_moving_average()) return;
  std::ranges::copy(
      arena.parameters(),
      algo::plane_of(arena, algo::Plane::kMovingAverage).begin());
}

void follow_weights(const Setup& setup, arena::Arena& arena) {
  if (!setup.has_moving_average()) return;
  const auto average = algo::plane_of(arena, algo::Plane::kMovingAverage);
  kernel::follow(
      average.data(),
      arena.parameters().data(),
      static_cast<int64_t>(average.size()),
      static_cast<float>(1 - setup.spec.ema));
}

} // namespace grapevine::train
