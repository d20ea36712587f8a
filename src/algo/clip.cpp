#include "algo/clip.h"

#include <cmath>

namespace grapevine::algo {

double clip_factor(const tensor::Arena& arena, double clip) {
  const double norm =
      std::sqrt(tensor::squared_norm(arena.layout(), arena.gradients()));
  const double factor = clip / (norm + 1e-6);
  return factor > 1 ? 1.0 : factor; // what is not a number stays it
}

} // namespace grapevine::algo
