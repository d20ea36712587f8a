// Clipping by the global norm, as torch's clip_grad_norm_ has it.
#pragma once

#include "tensor/arena.h"

namespace grapevine::algo {

// What the arena's gradients are to be multiplied by so that their norm, over
// all tensors, is at most `clip`.
double clip_factor(const tensor::Arena& arena, double clip);

} // namespace grapevine::algo
