#include "tensor/kernels/elementwise.h"

#include "tensor/kernels/clones.h"

#include <cmath>

namespace grapevine::tensor {
namespace {

constexpr int kLanes = 16;

// Pairwise: (0+8, 1+9, …), then (0+4, …), and so on.
double fold(double (&lane)[kLanes]) {
  for (int half = kLanes / 2; half > 0; half /= 2) {
    for (int i = 0; i < half; ++i)
      lane[i] += lane[i + half];
  }
  return lane[0];
}

// The sum of term(0), …, term(count - 1).
template <typename Term>
[[gnu::always_inline]] inline double lane_sum(int64_t count, Term term) {
  double lane[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (int j = 0; j < kLanes; ++j)
      lane[j] += term(i + j);
  }
  for (int j = 0; i < count; ++i, ++j)
    lane[j] += term(i);
  return fold(lane);
}

} // namespace

GV_CLONES double sum_of_squares(const float* x, int64_t count) {
  return lane_sum(
      count,
      [=](int64_t i) __attribute__((always_inline)) {
        return static_cast<double>(x[i]) * static_cast<double>(x[i]);
      });
}

GV_CLONES double
sum_of_squared_differences(const float* x, const float* y, int64_t count) {
  return lane_sum(
      count,
      [=](int64_t i) __attribute__((always_inline)) {
        const double difference =
            static_cast<double>(x[i]) - static_cast<double>(y[i]);
        return difference * difference;
      });
}

GV_CLONES double sum(const float* x, int64_t count) {
  return lane_sum(
      count,
      [=](int64_t i)
          __attribute__((always_inline)) { return static_cast<double>(x[i]); });
}

GV_CLONES void
follow(float* average, const float* x, int64_t count, float share) {
  for (int64_t i = 0; i < count; ++i)
    average[i] = std::fma(share, x[i] - average[i], average[i]);
}

GV_CLONES void scale(float* dst, int64_t count, float factor) {
  for (int64_t i = 0; i < count; ++i)
    dst[i] *= factor;
}

std::string instruction_set() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx512f")) return "avx512";
  if (__builtin_cpu_supports("avx2")) return "avx2";
#endif
  return "base";
}

GV_CLONES void track(float* g, float* s, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const float gradient = g[i];
    g[i] = gradient + s[i];
    s[i] = gradient;
  }
}

GV_CLONES void keep_lead(const float* g, float* s, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    s[i] = g[i] - s[i];
}

} // namespace grapevine::tensor
