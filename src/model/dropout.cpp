#include <grapevine/dropout.h>

#include "base/random.h"

#include <torch/torch.h>

#include <cmath>

namespace grapevine::model {
namespace {

// An address has more parts than a stream takes: the first number of one
// stream is the seed of the next.
Random stream_of(const ChanceAddress& address, uint64_t layer) {
  Random of_step(
      address.seed,
      Purpose::kDropout,
      static_cast<uint64_t>(address.rank),
      static_cast<uint64_t>(address.step));
  return {
      of_step.next(),
      Purpose::kDropout,
      static_cast<uint64_t>(address.micro_batch),
      layer};
}

} // namespace

torch::Tensor dropout(
    const torch::Tensor& x,
    double p,
    const ChanceAddress& address,
    uint64_t layer) {
  if (p == 0) return x;
  constexpr double kHalves = 4294967296.0; // 2^32
  const auto dropped = static_cast<uint64_t>(std::llround(p * kHalves));
  const auto kept = static_cast<float>(1 / (1 - p));
  Random random = stream_of(address, layer);
  torch::Tensor mask = torch::empty(x.sizes());
  float* values = mask.data_ptr<float>();
  uint64_t bits = 0;
  for (int64_t i = 0; i < mask.numel(); ++i) {
    bits = i % 2 == 0 ? random.next() : bits >> 32; // two halves of a number
    values[i] = (bits & 0xffffffffU) < dropped ? 0.0F : kept;
  }
  return x * mask.to(x.device(), x.scalar_type());
}

} // namespace grapevine::model
