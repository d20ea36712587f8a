// The two transforms of gradient tracking (see its row in agreement.cpp), on a
// range of the gradients and of the tracker's state plane.
#pragma once

#include "base/range.h"

namespace grapevine::tensor {
class Arena;
}

namespace grapevine::algo {

// y = g + s takes the gradient's place, g waits in s.
void track(tensor::Arena& arena, int plane, Range range);
// s = (mixed y) - g.
void keep_lead(tensor::Arena& arena, int plane, Range range);

} // namespace grapevine::algo
