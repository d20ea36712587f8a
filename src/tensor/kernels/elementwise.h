// Loops over spans of floats that everything above is made of.
//
// Every function does the same operations in the same order for each element
// whatever the instruction set, so results do not depend on it.
#pragma once

#include <cstdint>
#include <string>

namespace grapevine::tensor {

// The sum of squares in double: 16 running sums over the elements modulo 16,
// then added pairwise.
double sum_of_squares(const float* x, int64_t count);

// Of x - y, the differences taken in double.
double
sum_of_squared_differences(const float* x, const float* y, int64_t count);

// The plain sum in double, in the same order.
double sum(const float* x, int64_t count);

// average += share * (x - average); fused, the difference is rounded.
void follow(float* average, const float* x, int64_t count, float share);

// dst *= factor.
void scale(float* dst, int64_t count, float factor);

// The instruction set that the loops use here: "avx512", "avx2" or "base".
std::string instruction_set();

// The two passes of gradient tracking (algo/agreement.cpp) around the
// exchange of the trackers. g is the gradients' plane, s the one that holds,
// between steps, what the mixed trackers have ahead of the last gradient.

// Before: y = g + s takes the gradient's place, g waits in s.
void track(float* g, float* s, int64_t count);

// After, when g holds the mixed trackers: s = g - s.
void keep_lead(const float* g, float* s, int64_t count);

} // namespace grapevine::tensor
