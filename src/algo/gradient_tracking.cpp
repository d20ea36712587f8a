#include "algo/gradient_tracking.h"

#include "tensor/arena.h"
#include "tensor/kernels/track.h"

namespace grapevine::algo {

void track(tensor::Arena& arena, int plane, Range range) {
  tensor::track(
      arena.gradients().data() + range.begin,
      arena.state(plane).data() + range.begin,
      range.size());
}

void keep_lead(tensor::Arena& arena, int plane, Range range) {
  tensor::keep_lead(
      arena.gradients().data() + range.begin,
      arena.state(plane).data() + range.begin,
      range.size());
}

} // namespace grapevine::algo
