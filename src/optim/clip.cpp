#include "optim/clip.h"

#include <algorithm>
#include <cmath>

namespace grapevine::optim {

double clip_factor(const arena::Arena& arena, double clip) {
  const double norm =
      std::sqrt(arena::squared_norm(arena.layout(), arena.gradients()));
  return std::min(1.0, clip / (norm + 1e-6));
}

} // namespace grapevine::optim
