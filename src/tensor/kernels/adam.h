// The fused step of Adam, AdamW and their accumulating forms, one pass over
// the planes:
//
//   s = the mixed value               tensor/kernels/mix_terms.h; x where
//   nothing mixes g = g * gradient_scale            clipping g = g + l2 * x
//   fused multiply-add; x before it is mixed s = s * keep AdamW's decay: keep =
//   1 - lr * decay m' = b1 * m + (1 - b1) * g        the product b1 * m is
//   rounded, the rest v' = b2 * v + (1 - b2) * g * g    fused; (1 - b2) * g is
//   rounded too x = s - step_size * m' / ( sqrt(v') / root_correction + eps )
//
// Rounded as torch::optim::Adam and AdamW round, so the bits are the same.
// Which moments are kept is the window's business:
//
//   alone     m = m', v = v'                                      Adam
//   first     b = g * share                       m and v stay as they are
//   inside    b = b + g * share                   fused; m and v stay
//   last      b' = b + g * share ;  m = b1 * m + (1 - b1) * b' ;
//             v = b2 * v + (1 - b2) * b' * b'     b' is not kept: the next
//                                                 first step begins b anew
//
// Memory traffic, beside reading the mixed terms (x among them): g, m and v
// are read; x is written, m and v too where they change; b is written by the
// first step, read and written inside, read by the last.
#pragma once

#include "tensor/kernels/mix_terms.h"

#include <cstdint>

namespace grapevine::tensor {

// The place of a step in its window of accumulation.
enum class AdamWindow { kAlone, kFirst, kInside, kLast };

// Coefficients of a step, computed in double by the caller and rounded.
struct AdamStep {
  AdamWindow window = AdamWindow::kAlone;
  float gradient_scale = 1;
  float l2 = 0;
  float keep = 1;
  float beta1 = 0;
  float rest1 = 1; // 1 - b1
  float beta2 = 0;
  float rest2 = 1; // 1 - b2
  float step_size = 0;
  float root_correction = 1;
  float eps = 0;
  float share = 1; // 1 / steps in a window
};

struct AdamPlanes {
  const float* x = nullptr;
  float* result = nullptr; // takes the new x; may be x itself
  const float* g = nullptr;
  float* m = nullptr;
  float* v = nullptr;
  float* b = nullptr; // not used by AdamWindow::kAlone
};

// Over elements [begin, end) of the planes. Returns a sum of squares, as
// tensor::sum_of_squares gives it, if asked for, else 0: of the old x where it
// is mixed, else of the new x.
double adam_update(
    const AdamPlanes& planes,
    int64_t begin,
    int64_t end,
    const AdamStep& step,
    const MixTerms& mix = {},
    bool want_squares = false);

} // namespace grapevine::tensor
