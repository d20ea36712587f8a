// The two passes of gradient tracking (algo/agreement.cpp) around the
// exchange of the trackers. g is the gradients' plane, s the one that holds,
// between steps, what the mixed trackers have ahead of the last gradient.
#pragma once

#include <cstdint>

namespace grapevine::tensor {

// Before: y = g + s takes the gradient's place, g waits in s.
void track(float* g, float* s, int64_t count);

// After, when g holds the mixed trackers: s = g - s.
void keep_lead(const float* g, float* s, int64_t count);

} // namespace grapevine::tensor
