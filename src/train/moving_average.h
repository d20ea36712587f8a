// The moving averages of the workers' weights (--ema), each in the last of its
// arena's state planes. Nothing happens where the spec asks for none.
#pragma once

#include "arena/arena.h"
#include "train/run_config.h"

namespace grapevine::train {

// The weights as they are.
void begin_moving_average(const RunConfig& config, arena::Arena& arena);

// By one step, whose weights are the arena's parameters.
void follow_weights(const RunConfig& config, arena::Arena& arena);

} // namespace grapevine::train
