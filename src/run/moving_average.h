// The moving averages of the workers' weights (--ema), each in the last of its
// arena's state planes. Nothing happens where the spec asks for none.
#pragma once

#include "run/run_config.h"
#include "tensor/arena.h"

namespace grapevine::run {

// The weights as they are.
void begin_moving_average(const RunConfig& config, tensor::Arena& arena);

// By one step, whose weights are the arena's parameters.
void follow_weights(const RunConfig& config, tensor::Arena& arena);

} // namespace grapevine::run
