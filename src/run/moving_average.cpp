#include "run/moving_average.h"

#include "algo/agreement.h"
#include "tensor/kernels/elementwise.h"

#include <algorithm>

namespace grapevine::run {

void begin_moving_average(const RunConfig& config, tensor::Arena& arena) {
  if (!config.has_moving_average()) return;
  std::ranges::copy(
      arena.parameters(),
      algo::plane_of(arena, algo::Plane::kMovingAverage).begin());
}

void follow_weights(const RunConfig& config, tensor::Arena& arena) {
  if (!config.has_moving_average()) return;
  const auto average = algo::plane_of(arena, algo::Plane::kMovingAverage);
  tensor::follow(
      average.data(),
      arena.parameters().data(),
      static_cast<int64_t>(average.size()),
      static_cast<float>(1 - config.spec.ema));
}

} // namespace grapevine::run
