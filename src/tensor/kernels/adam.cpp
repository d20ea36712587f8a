#include "tensor/kernels/adam.h"

#include "tensor/kernels/clones.h"
#include "tensor/kernels/strips.h"

namespace grapevine::tensor {
namespace {

[[gnu::always_inline]] inline float
first_moment(float m, float g, const AdamStep& o) {
  return __builtin_fmaf(g, o.rest1, m * o.beta1);
}

[[gnu::always_inline]] inline float
second_moment(float v, float g, const AdamStep& o) {
  return __builtin_fmaf(o.rest2 * g, g, v * o.beta2);
}

// `planes` begin at the strip, and so does `mixed`; it and the result are x
// itself or do not overlap it.
template <AdamWindow kWindow, bool kL2>
[[gnu::always_inline]] inline void update_strip(
    const AdamPlanes& planes,
    const float* mixed,
    int64_t count,
    const AdamStep& step) {
  const float* x = planes.x;
  float* result = planes.result;
  const float* gradient = planes.g;
  float* m = planes.m;
  float* v = planes.v;
  float* b = planes.b;
  const AdamStep o = step; // a copy that no store can change
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    float g = gradient[i] * o.gradient_scale;
    if constexpr (kL2) g = __builtin_fmaf(x[i], o.l2, g);
    const float m_now = first_moment(m[i], g, o);
    const float v_now = second_moment(v[i], g, o);
    const float scale = __builtin_sqrtf(v_now) / o.root_correction + o.eps;
    result[i] = mixed[i] * o.keep + -o.step_size * m_now / scale;
    if constexpr (kWindow == AdamWindow::kAlone) {
      m[i] = m_now;
      v[i] = v_now;
    } else if constexpr (kWindow == AdamWindow::kFirst) {
      b[i] = g * o.share;
    } else {
      const float mean = __builtin_fmaf(g, o.share, b[i]);
      if constexpr (kWindow == AdamWindow::kInside) {
        b[i] = mean;
      } else {
        m[i] = first_moment(m[i], mean, o);
        v[i] = second_moment(v[i], mean, o);
      }
    }
  }
}

#define GV_STRIP(name, window, l2)                                    \
  GV_CLONES void name(                                                \
      const AdamPlanes& planes,                                       \
      const float* mixed,                                             \
      int64_t count,                                                  \
      const AdamStep& step) {                                         \
    update_strip<AdamWindow::window, l2>(planes, mixed, count, step); \
  }
// A clone must hold its loop (hence always_inline above) and a template cannot
// be cloned, so each form has a name.
GV_STRIP(alone, kAlone, false)
GV_STRIP(alone_l2, kAlone, true)
GV_STRIP(first, kFirst, false)
GV_STRIP(first_l2, kFirst, true)
GV_STRIP(inside, kInside, false)
GV_STRIP(inside_l2, kInside, true)
GV_STRIP(last, kLast, false)
GV_STRIP(last_l2, kLast, true)
#undef GV_STRIP

using StripFunction =
    void (*)(const AdamPlanes&, const float*, int64_t, const AdamStep&);

StripFunction choose(const AdamStep& step) {
  const bool l2 = step.l2 != 0;
  switch (step.window) {
    case AdamWindow::kAlone:
      return l2 ? alone_l2 : alone;
    case AdamWindow::kFirst:
      return l2 ? first_l2 : first;
    case AdamWindow::kInside:
      return l2 ? inside_l2 : inside;
    case AdamWindow::kLast:
      return l2 ? last_l2 : last;
  }
  return alone;
}

} // namespace

double adam_update(
    const AdamPlanes& planes,
    int64_t begin,
    int64_t end,
    const AdamStep& step,
    const MixTerms& mix,
    bool want_squares) {
  const StripFunction update = choose(step);
  const auto visit = [&](const float* mixed, int64_t at, int64_t count) {
    const AdamPlanes strip{
        planes.x + at,
        planes.result + at,
        planes.g + at,
        planes.m + at,
        planes.v + at,
        planes.b == nullptr ? nullptr : planes.b + at};
    update(strip, mixed, count, step);
  };
  return update_in_strips(planes, begin, end, mix, want_squares, visit);
}

} // namespace grapevine::tensor
