#include "tensor/kernels/mix_terms.h"

#include "base/check.h"
#include "tensor/kernels/clones.h"

#include <algorithm>

// The loops carry no dependency even where dst is one of the terms, which the
// compiler cannot know and would otherwise answer with a scalar loop.
#define GV_INDEPENDENT _Pragma("GCC ivdep")

namespace grapevine::tensor {
namespace {

// Up to four terms in one pass over memory.

GV_CLONES void sum1(float* dst, const float* a, float scale, int64_t count) {
  GV_INDEPENDENT
  for (int64_t e = 0; e < count; ++e)
    dst[e] = a[e] * scale;
}

GV_CLONES void
sum2(float* dst, const float* a, const float* b, float scale, int64_t count) {
  if (scale == 1) {
    GV_INDEPENDENT
    for (int64_t e = 0; e < count; ++e)
      dst[e] = a[e] + b[e];
    return;
  }
  GV_INDEPENDENT
  for (int64_t e = 0; e < count; ++e)
    dst[e] = (a[e] + b[e]) * scale;
}

GV_CLONES void sum3(
    float* dst,
    const float* a,
    const float* b,
    const float* c,
    float scale,
    int64_t count) {
  GV_INDEPENDENT
  for (int64_t e = 0; e < count; ++e) {
    dst[e] = (a[e] + b[e] + c[e]) * scale;
  }
}

GV_CLONES void sum4(
    float* dst,
    const float* const* t,
    int64_t offset,
    float scale,
    int64_t count) {
  const float* a = t[0] + offset;
  const float* b = t[1] + offset;
  const float* c = t[2] + offset;
  const float* d = t[3] + offset;
  GV_INDEPENDENT
  for (int64_t e = 0; e < count; ++e) {
    dst[e] = (a[e] + b[e] + c[e] + d[e]) * scale;
  }
}

GV_CLONES void sum5(
    float* dst,
    const float* const* t,
    int64_t offset,
    float scale,
    int64_t count) {
  const float* a = t[0] + offset;
  const float* b = t[1] + offset;
  const float* c = t[2] + offset;
  const float* d = t[3] + offset;
  const float* f = t[4] + offset;
  GV_INDEPENDENT
  for (int64_t e = 0; e < count; ++e) {
    dst[e] = (a[e] + b[e] + c[e] + d[e] + f[e]) * scale;
  }
}

// More terms go through a tile that stays in the first cache; every term of a
// tile is read before dst is written, so dst may be any of them.
constexpr int64_t kTile = 512;

GV_CLONES void
add2(float* __restrict tile, const float* a, const float* b, int64_t count) {
  for (int64_t e = 0; e < count; ++e)
    tile[e] = tile[e] + a[e] + b[e];
}

GV_CLONES void add1(float* __restrict tile, const float* a, int64_t count) {
  for (int64_t e = 0; e < count; ++e)
    tile[e] = tile[e] + a[e];
}

void sum_tile(
    float* __restrict tile,
    std::span<const float* const> terms,
    int64_t offset,
    int64_t count) {
  std::copy_n(terms[0] + offset, count, tile);
  size_t k = 1;
  for (; k + 1 < terms.size(); k += 2) {
    add2(tile, terms[k] + offset, terms[k + 1] + offset, count);
  }
  if (k < terms.size()) add1(tile, terms[k] + offset, count);
}

GV_CLONES void
multiply(float* __restrict tile, const float* a, float weight, int64_t count) {
  for (int64_t e = 0; e < count; ++e)
    tile[e] = weight * a[e];
}

GV_CLONES void add_product(
    float* __restrict tile,
    const float* a,
    float weight,
    int64_t count) {
  for (int64_t e = 0; e < count; ++e)
    tile[e] = tile[e] + weight * a[e];
}

} // namespace

void scaled_sum(
    float* dst,
    std::span<const float* const> terms,
    int64_t offset,
    int64_t count,
    float scale) {
  GV_CHECK(!terms.empty());
  const auto term = [&](size_t k) { return terms[k] + offset; };
  switch (terms.size()) {
    case 1:
      return sum1(dst, term(0), scale, count);
    case 2:
      return sum2(dst, term(0), term(1), scale, count);
    case 3:
      return sum3(dst, term(0), term(1), term(2), scale, count);
    case 4:
      return sum4(dst, terms.data(), offset, scale, count);
    case 5:
      return sum5(dst, terms.data(), offset, scale, count);
  }
  alignas(64) float tile[kTile];
  for (int64_t begin = 0; begin < count; begin += kTile) {
    const int64_t part = std::min(kTile, count - begin);
    sum_tile(tile, terms, offset + begin, part);
    sum1(dst + begin, tile, scale, part);
  }
}

void weighted_sum(
    float* dst,
    std::span<const float* const> terms,
    std::span<const float> weights,
    int64_t offset,
    int64_t count) {
  GV_CHECK(!terms.empty());
  GV_CHECK_EQ(terms.size(), weights.size());
  alignas(64) float tile[kTile];
  for (int64_t begin = 0; begin < count; begin += kTile) {
    const int64_t part = std::min(kTile, count - begin);
    multiply(tile, terms[0] + offset + begin, weights[0], part);
    for (size_t k = 1; k < terms.size(); ++k) {
      add_product(tile, terms[k] + offset + begin, weights[k], part);
    }
    std::copy_n(tile, part, dst + begin);
  }
}

void mixed_value(
    float* dst,
    const MixTerms& mix,
    int64_t offset,
    int64_t count) {
  if (mix.weights.empty()) {
    scaled_sum(dst, mix.terms, offset, count, mix.scale);
  } else {
    weighted_sum(dst, mix.terms, mix.weights, offset, count);
  }
}

} // namespace grapevine::tensor
