#include "kernel/elementwise.h"

#include "base/check.h"
#include "kernel/clones.h"

namespace grapevine::kernel {
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

GV_CLONES void
sum2(float* dst, const float* a, const float* b, int64_t count, float scale) {
  for (int64_t i = 0; i < count; ++i)
    dst[i] = (a[i] + b[i]) * scale;
}

GV_CLONES void sum3(
    float* dst,
    const float* a,
    const float* b,
    const float* c,
    int64_t count,
    float scale) {
  for (int64_t i = 0; i < count; ++i)
    dst[i] = (a[i] + b[i] + c[i]) * scale;
}

// Any number of terms, a few elements at a time so that the running sums
// stay in registers.
GV_CLONES void sum_many(
    float* dst,
    const float* const* terms,
    size_t term_count,
    int64_t offset,
    int64_t count,
    float scale) {
  constexpr int kStrip = 64;
  int64_t i = 0;
  for (; i + kStrip <= count; i += kStrip) {
    float acc[kStrip];
    const float* first = terms[0] + offset + i;
    for (int j = 0; j < kStrip; ++j)
      acc[j] = first[j];
    for (size_t t = 1; t < term_count; ++t) {
      const float* term = terms[t] + offset + i;
      for (int j = 0; j < kStrip; ++j)
        acc[j] += term[j];
    }
    for (int j = 0; j < kStrip; ++j)
      dst[i + j] = acc[j] * scale;
  }
  for (; i < count; ++i) {
    float acc = terms[0][offset + i];
    for (size_t t = 1; t < term_count; ++t)
      acc += terms[t][offset + i];
    dst[i] = acc * scale;
  }
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

void scaled_sum(
    float* dst,
    std::span<const float* const> terms,
    int64_t offset,
    int64_t count,
    float scale) {
  GV_CHECK(!terms.empty());
  if (terms.size() == 2) {
    sum2(dst, terms[0] + offset, terms[1] + offset, count, scale);
  } else if (terms.size() == 3) {
    sum3(
        dst,
        terms[0] + offset,
        terms[1] + offset,
        terms[2] + offset,
        count,
        scale);
  } else {
    sum_many(dst, terms.data(), terms.size(), offset, count, scale);
  }
}

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

} // namespace grapevine::kernel
