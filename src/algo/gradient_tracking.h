// The two transforms of gradient tracking (see its row in agreement.cpp), on a
// range of the gradients and of the tracker's state plane.
#pragma once

#include "base/range.h"

namespace grapevine::arena {
class Arena;
}

namespace grapevine::algo {

// y = g + s takes the gradient's place, g waits in s.
void track(arena::Arena& arena, int plane, Range range);
// s = (mixed y) - g.
void keep_lead(arena::Arena& arena, int plane, Range range);

} // namespace grapevine::algo
