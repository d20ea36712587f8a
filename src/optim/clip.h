// Clipping by the global norm, as torch's clip_grad_norm_ has it.
#pragma once

#include "arena/arena.h"

namespace grapevine::optim {

// What the arena's gradients are to be multiplied by so that their norm, over
// all tensors, is at most `clip`.
double clip_factor(const arena::Arena& arena, double clip);

} // namespace grapevine::optim
