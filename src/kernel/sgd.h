// The fused SGD step, one pass over the planes:
//
//   s = (t_0 + t_1 + …) * scale       the mixed value, or x where nothing mixes
//   d = g * gradient_scale            clipping
//   d = d + weight_decay * x          fused multiply-add
//   m = momentum * m + d              two roundings; at the first step m = d
//   d = d + momentum * m              Nesterov only, fused
//   x = s - lr * d                    fused
//
// Rounded exactly as torch::optim::SGD rounds (dampening 0), so the bits are
// the same.
//
// Memory traffic: reads x, g, m and the mixed terms, writes x and m.
#pragma once

#include <cstdint>
#include <span>

namespace grapevine::kernel {

struct SgdOptions {
  float lr = 0;
  float momentum = 0;
  float weight_decay = 0;
  float gradient_scale = 1;
  bool nesterov = false;
  bool first_step = false;
};

// What x is replaced by before the update. No terms: by itself.
struct MixTerms {
  std::span<const float* const> terms; // x among them, in summation order
  float scale = 1;
};

// Over elements [begin, end) of the planes x, g, m (m unused and may be null
// without momentum). Returns the sum of squares of the new x, as
// kernel::sum_of_squares gives it, if asked for, else 0.
double sgd_update(
    float* x,
    const float* g,
    float* m,
    int64_t begin,
    int64_t end,
    const SgdOptions& options,
    const MixTerms& mix = {},
    bool want_norm = false);

} // namespace grapevine::kernel
