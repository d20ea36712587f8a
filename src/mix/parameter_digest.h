// The bytes of a plane's tensors without the gaps, into a hash.
#pragma once

#include "base/sha256.h"
#include "tensor/layout.h"

#include <bit>
#include <span>

namespace grapevine::mix {

static_assert(
    std::endian::native == std::endian::little,
    "digests and checkpoints are little-endian");

inline void add_parameters(
    Sha256& hash,
    const tensor::Layout& layout,
    std::span<const float> plane) {
  for (const tensor::TensorEntry& tensor : layout.tensors()) {
    hash.update(std::as_bytes(plane.subspan(tensor.offset, tensor.elements)));
  }
}

} // namespace grapevine::mix
