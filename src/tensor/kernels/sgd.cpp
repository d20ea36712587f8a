#include "tensor/kernels/sgd.h"

#include "tensor/kernels/clones.h"
#include "tensor/kernels/strips.h"

namespace grapevine::tensor {
namespace {

enum class Momentum { kNone, kFirst, kHeavyBall, kNesterovFirst, kNesterov };

template <Momentum kMomentum, bool kDecay>
[[gnu::always_inline]] inline void update_strip(
    const SgdPlanes& planes,
    const float* mixed,
    int64_t count,
    const SgdOptions& o) {
  const float* x = planes.x;
  float* result = planes.result;
  const float* g = planes.g;
  float* m = planes.m;
  const float minus_lr = -o.lr;
  const float momentum = o.momentum;
  const float weight_decay = o.weight_decay;
  const float gradient_scale = o.gradient_scale;
  // `planes` begin at the strip, and so does `mixed`; it and the result are x
  // itself or do not overlap it. The builtin, since std::fma is a function of
  // the base instruction set that does not inline into a clone.
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    float d = g[i] * gradient_scale;
    if constexpr (kDecay) d = __builtin_fmaf(x[i], weight_decay, d);
    if constexpr (kMomentum != Momentum::kNone) {
      constexpr bool kFirst = kMomentum == Momentum::kFirst ||
                              kMomentum == Momentum::kNesterovFirst;
      const float buffer = kFirst ? d : m[i] * momentum + d;
      m[i] = buffer;
      if constexpr (
          kMomentum == Momentum::kNesterov ||
          kMomentum == Momentum::kNesterovFirst) {
        d = __builtin_fmaf(buffer, momentum, d);
      } else {
        d = buffer;
      }
    }
    result[i] = __builtin_fmaf(d, minus_lr, mixed[i]);
  }
}

#define GV_STRIP(name, momentum, decay)                               \
  GV_CLONES void name(                                                \
      const SgdPlanes& planes,                                        \
      const float* mixed,                                             \
      int64_t count,                                                  \
      const SgdOptions& o) {                                          \
    update_strip<Momentum::momentum, decay>(planes, mixed, count, o); \
  }
// A clone must hold its loop (hence always_inline above) and a template cannot
// be cloned, so each form has a name.
GV_STRIP(plain, kNone, false)
GV_STRIP(plain_decay, kNone, true)
GV_STRIP(first, kFirst, false)
GV_STRIP(first_decay, kFirst, true)
GV_STRIP(heavy_ball, kHeavyBall, false)
GV_STRIP(heavy_ball_decay, kHeavyBall, true)
GV_STRIP(nesterov_first, kNesterovFirst, false)
GV_STRIP(nesterov_first_decay, kNesterovFirst, true)
GV_STRIP(nesterov, kNesterov, false)
GV_STRIP(nesterov_decay, kNesterov, true)
#undef GV_STRIP

using StripFunction =
    void (*)(const SgdPlanes&, const float*, int64_t, const SgdOptions&);

StripFunction choose(const SgdOptions& o) {
  const bool decay = o.weight_decay != 0;
  if (o.momentum == 0) return decay ? plain_decay : plain;
  if (o.nesterov) {
    if (o.first_step) return decay ? nesterov_first_decay : nesterov_first;
    return decay ? nesterov_decay : nesterov;
  }
  if (o.first_step) return decay ? first_decay : first;
  return decay ? heavy_ball_decay : heavy_ball;
}

} // namespace

double sgd_update(
    const SgdPlanes& planes,
    int64_t begin,
    int64_t end,
    const SgdOptions& options,
    const MixTerms& mix,
    bool want_squares) {
  const StripFunction update = choose(options);
  const auto visit = [&](const float* mixed, int64_t at, int64_t count) {
    const SgdPlanes strip{
        planes.x + at,
        planes.result + at,
        planes.g + at,
        planes.m == nullptr ? nullptr : planes.m + at};
    update(strip, mixed, count, options);
  };
  return update_in_strips(planes, begin, end, mix, want_squares, visit);
}

} // namespace grapevine::tensor
