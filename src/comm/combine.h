// The arithmetic of all mixing: both executors call this, so that they agree
// bit for bit.
#pragma once

#include <cstdint>

namespace grapevine::comm {

//   dst[e] = (terms[0][e] + terms[1][e] + ...) * scale
// from left to right. dst may be one of the terms, but not overlap one
// otherwise. terms_count >= 1.
void sum_scaled(
    float* dst,
    const float* const* terms,
    int terms_count,
    float scale,
    int64_t count);

//   dst[e] = weights[0]*terms[0][e] + weights[1]*terms[1][e] + ...
// from left to right; aliasing as above.
void sum_weighted(
    float* dst,
    const float* const* terms,
    const float* weights,
    int terms_count,
    int64_t count);

} // namespace grapevine::comm
