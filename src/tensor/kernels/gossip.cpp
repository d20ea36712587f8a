#include "tensor/kernels/gossip.h"

#include "tensor/kernels/clones.h"

#include <algorithm>

// No two of the planes overlap.
#define GV_INDEPENDENT _Pragma("GCC ivdep")

namespace grapevine::tensor {
namespace {

bool flows(const GossipPlanes& planes) {
  return planes.y != nullptr && planes.share != 0;
}

GV_CLONES void read_flowed(
    const float* x,
    const float* y,
    float share,
    float* out,
    int64_t count) {
  GV_INDEPENDENT
  for (int64_t e = 0; e < count; ++e)
    out[e] = x[e] + share * (y[e] - x[e]);
}

GV_CLONES void flow(float* x, float* y, float share, int64_t count) {
  GV_INDEPENDENT
  for (int64_t e = 0; e < count; ++e) {
    const float moved = share * (y[e] - x[e]);
    x[e] += moved;
    y[e] -= moved;
  }
}

GV_CLONES void pull(
    float* x,
    const float* mine,
    const float* theirs,
    float alpha,
    int64_t count) {
  GV_INDEPENDENT
  for (int64_t e = 0; e < count; ++e)
    x[e] -= alpha * (mine[e] - theirs[e]);
}

GV_CLONES void flow_and_pull(
    const GossipPlanes& planes,
    const float* mine,
    const float* theirs,
    float alpha,
    float alpha_y) {
  float* x = planes.x;
  float* y = planes.y;
  const float share = planes.share;
  GV_INDEPENDENT
  for (int64_t e = 0; e < planes.count; ++e) {
    const float moved = share * (y[e] - x[e]);
    const float delta = mine[e] - theirs[e];
    x[e] = x[e] + moved - alpha * delta;
    y[e] = y[e] - moved - alpha_y * delta;
  }
}

GV_CLONES void
add_step(float* x, const float* before, const float* after, int64_t count) {
  GV_INDEPENDENT
  for (int64_t e = 0; e < count; ++e)
    x[e] += after[e] - before[e];
}

GV_CLONES void
flow_and_move(const GossipPlanes& planes, const float* before, float* after) {
  float* x = planes.x;
  float* y = planes.y;
  const float share = planes.share;
  GV_INDEPENDENT
  for (int64_t e = 0; e < planes.count; ++e) {
    const float moved = share * (y[e] - x[e]);
    const float step = after[e] - before[e];
    x[e] = x[e] + moved + step;
    y[e] = y[e] - moved + step;
    after[e] = x[e];
  }
}

} // namespace

void gossip_read(const GossipPlanes& planes, float* out) {
  if (flows(planes)) {
    read_flowed(planes.x, planes.y, planes.share, out, planes.count);
  } else {
    std::copy_n(planes.x, planes.count, out);
  }
}

void gossip_flow(const GossipPlanes& planes) {
  if (flows(planes)) flow(planes.x, planes.y, planes.share, planes.count);
}

void gossip_pull(
    const GossipPlanes& planes,
    const float* mine,
    const float* theirs,
    float alpha,
    float alpha_y) {
  if (flows(planes)) {
    flow_and_pull(planes, mine, theirs, alpha, alpha_y);
    return;
  }
  pull(planes.x, mine, theirs, alpha, planes.count);
  if (planes.y != nullptr) {
    pull(planes.y, mine, theirs, alpha_y, planes.count);
  }
}

void gossip_move(
    const GossipPlanes& planes,
    const float* before,
    float* after) {
  if (flows(planes)) {
    flow_and_move(planes, before, after);
    return;
  }
  if (planes.y != nullptr) add_step(planes.y, before, after, planes.count);
  add_step(planes.x, before, after, planes.count);
  std::copy_n(planes.x, planes.count, after);
}

} // namespace grapevine::tensor
