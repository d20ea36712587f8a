#include "algo/gradient_tracking.h"

#include "arena/arena.h"
#include "kernel/track.h"

namespace grapevine::algo {

void track(arena::Arena& arena, int plane, Range range) {
  kernel::track(
      arena.gradients().data() + range.begin,
      arena.state(plane).data() + range.begin,
      range.size());
}

void keep_lead(arena::Arena& arena, int plane, Range range) {
  kernel::keep_lead(
      arena.gradients().data() + range.begin,
      arena.state(plane).data() + range.begin,
      range.size());
}

} // namespace grapevine::algo
