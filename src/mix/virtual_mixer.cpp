#include "mix/virtual_mixer.h"

#include "base/check.h"

#include <algorithm>

namespace grapevine::mix {

namespace {

// Scratch and the values that it is made from should stay in a core's second
// cache; half a megabyte of scratch leaves room for them.
constexpr int64_t kCacheFloats = int64_t{128} * 1024;
constexpr int64_t kLeastBlock = 256;
constexpr int64_t kMostBlock = 2048;
// Keeps the same element of different buffers out of the same cache set.
constexpr int64_t kPadding = 16;

int64_t block_floats(int scratch_buffers) {
  const int64_t fitting = kCacheFloats / std::max(1, scratch_buffers);
  return std::clamp(fitting / 64 * 64, kLeastBlock, kMostBlock);
}

} // namespace

VirtualMixer::VirtualMixer(ThreadPool& pool)
    : pool_(pool),
      workspaces_(pool.threads()) {}

void VirtualMixer::mix(
    const Plan& plan,
    std::span<float* const> planes,
    int64_t count) {
  GV_CHECK_EQ(static_cast<int>(planes.size()), plan.n());
  const CompiledDataflow& compiled = plan.compiled();
  const int64_t block = block_floats(compiled.scratch_buffers());
  const int64_t stride = block + kPadding;
  const int64_t needed = compiled.scratch_buffers() * stride;
  for (Workspace& workspace : workspaces_) {
    if (workspace.scratch.size() < needed) {
      workspace.scratch = AlignedFloats(needed);
    }
    workspace.values.resize(planes.size());
  }
  const int64_t blocks = (count + block - 1) / block;
  pool_.for_each(blocks, [&](int64_t index, int thread) {
    Workspace& workspace = workspaces_[thread];
    const int64_t begin = index * block;
    for (size_t i = 0; i < planes.size(); ++i) {
      workspace.values[i] = planes[i] + begin;
    }
    const int64_t part = std::min(block, count - begin);
    compiled.run(workspace.values, part, workspace.scratch.data(), stride);
  });
}

} // namespace grapevine::mix
