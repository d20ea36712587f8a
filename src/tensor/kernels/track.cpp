#include "tensor/kernels/track.h"

#include "tensor/kernels/clones.h"

namespace grapevine::tensor {

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
