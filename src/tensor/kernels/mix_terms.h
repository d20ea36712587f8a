// What a mixing puts in the place of x: a sum over some planes,
//
//   (t_0 + t_1 + …) * scale           without weights
//   w_0*t_0 + w_1*t_1 + …             with them
//
// each operation rounded, from left to right. All mixing is done by these
// loops, in the passes that update as well as in those that only average, so
// all of them agree bit for bit.
#pragma once

#include <cstdint>
#include <span>

namespace grapevine::tensor {

// Borrows everything.
struct MixTerms {
  // Bases of whole planes, in the order in which they are added; x may be
  // among them. No terms: x stays itself.
  std::span<const float* const> terms;
  std::span<const float> weights; // one a term, or none
  float scale = 1;                // of the sum without weights
};

// Of the elements [offset, offset + count) of the terms, into dst[0, count).
// At least one term; dst may be the same elements of one of the terms, but
// not overlap one otherwise.
void scaled_sum(
    float* dst,
    std::span<const float* const> terms,
    int64_t offset,
    int64_t count,
    float scale);
void weighted_sum(
    float* dst,
    std::span<const float* const> terms,
    std::span<const float> weights,
    int64_t offset,
    int64_t count);
// Whichever of them `mix` asks for.
void mixed_value(
    float* dst,
    const MixTerms& mix,
    int64_t offset,
    int64_t count);

} // namespace grapevine::tensor
