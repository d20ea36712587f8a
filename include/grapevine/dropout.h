// Chance in a forward pass, with an address.
//
//   y = x * mask / (1 - p),   mask = 1 with probability 1 - p, else 0
//
// A mask is a function of (seed, rank, step, micro-batch, layer) and of the
// element's place: threads share torch's generator, so with that one no two
// runs would be alike.
#pragma once

#include <torch/types.h>

#include <cstdint>

namespace grapevine::model {

// Of a forward pass. The seed is the run's.
struct ChanceAddress {
  uint64_t seed = 0;
  int rank = 0;
  int64_t step = 0;
  int64_t micro_batch = 0;
};

// layer: the place of this dropout in its model. 0 <= p < 1; x itself where p
// is 0.
torch::Tensor dropout(
    const torch::Tensor& x,
    double p,
    const ChanceAddress& address,
    uint64_t layer);

} // namespace grapevine::model
