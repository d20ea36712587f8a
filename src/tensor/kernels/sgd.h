// The fused SGD step, one pass over the planes:
//
//   s = the mixed value               tensor/kernels/mix_terms.h; x where
//   nothing mixes d = g * gradient_scale            clipping d = d +
//   weight_decay * x          fused multiply-add m = momentum * m + d two
//   roundings; at the first step m = d d = d + momentum * m Nesterov only,
//   fused x = s - lr * d                    fused
//
// Rounded exactly as torch::optim::SGD rounds (dampening 0), so the bits are
// the same.
//
// Memory traffic: reads x, g, m and the mixed terms, writes x and m.
#pragma once

#include "tensor/kernels/mix_terms.h"

#include <cstdint>

namespace grapevine::tensor {

struct SgdOptions {
  float lr = 0;
  float momentum = 0;
  float weight_decay = 0;
  float gradient_scale = 1;
  bool nesterov = false;
  bool first_step = false;
};

struct SgdPlanes {
  const float* x = nullptr;
  float* result = nullptr; // takes the new x; may be x itself
  const float* g = nullptr;
  float* m = nullptr; // not used without momentum
};

// Over elements [begin, end) of the planes. Returns a sum of squares, as
// tensor::sum_of_squares gives it, if asked for, else 0: of the old x where it
// is mixed, else of the new x.
double sgd_update(
    const SgdPlanes& planes,
    int64_t begin,
    int64_t end,
    const SgdOptions& options,
    const MixTerms& mix = {},
    bool want_squares = false);

} // namespace grapevine::tensor
