#include "comm/combine.h"

#include "kernel/clones.h"

#include <algorithm>

// The loops carry no dependency even where dst is one of the terms, which the
// compiler cannot know and would otherwise answer with a scalar loop.
#define GV_INDEPENDENT _Pragma("GCC ivdep")

namespace grapevine::comm {

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

GV_CLONES void
sum4(float* dst, const float* const* t, float scale, int64_t count) {
  const float *a = t[0], *b = t[1], *c = t[2], *d = t[3];
  GV_INDEPENDENT
  for (int64_t e = 0; e < count; ++e) {
    dst[e] = (a[e] + b[e] + c[e] + d[e]) * scale;
  }
}

GV_CLONES void
sum5(float* dst, const float* const* t, float scale, int64_t count) {
  const float *a = t[0], *b = t[1], *c = t[2], *d = t[3], *f = t[4];
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
    const float* const* terms,
    int terms_count,
    int64_t begin,
    int64_t count) {
  std::copy_n(terms[0] + begin, count, tile);
  int k = 1;
  for (; k + 1 < terms_count; k += 2) {
    add2(tile, terms[k] + begin, terms[k + 1] + begin, count);
  }
  if (k < terms_count) add1(tile, terms[k] + begin, count);
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

void sum_scaled(
    float* dst,
    const float* const* terms,
    int terms_count,
    float scale,
    int64_t count) {
  switch (terms_count) {
    case 1:
      return sum1(dst, terms[0], scale, count);
    case 2:
      return sum2(dst, terms[0], terms[1], scale, count);
    case 3:
      return sum3(dst, terms[0], terms[1], terms[2], scale, count);
    case 4:
      return sum4(dst, terms, scale, count);
    case 5:
      return sum5(dst, terms, scale, count);
  }
  alignas(64) float tile[kTile];
  for (int64_t begin = 0; begin < count; begin += kTile) {
    const int64_t part = std::min(kTile, count - begin);
    sum_tile(tile, terms, terms_count, begin, part);
    sum1(dst + begin, tile, scale, part);
  }
}

void sum_weighted(
    float* dst,
    const float* const* terms,
    const float* weights,
    int terms_count,
    int64_t count) {
  alignas(64) float tile[kTile];
  for (int64_t begin = 0; begin < count; begin += kTile) {
    const int64_t part = std::min(kTile, count - begin);
    multiply(tile, terms[0] + begin, weights[0], part);
    for (int k = 1; k < terms_count; ++k) {
      add_product(tile, terms[k] + begin, weights[k], part);
    }
    std::copy_n(tile, part, dst + begin);
  }
}

} // namespace grapevine::comm
