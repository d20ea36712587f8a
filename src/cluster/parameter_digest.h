// The bytes of a plane's tensors without the gaps, into a hash.
#pragma once

#include "arena/layout.h"
#include "base/sha256.h"

#include <bit>
#include <span>

namespace grapevine::cluster {

static_assert(
    std::endian::native == std::endian::little,
    "digests and checkpoints are little-endian");

inline void add_parameters(
    Sha256& hash,
    const arena::Layout& layout,
    std::span<const float> plane) {
  for (const arena::TensorEntry& tensor : layout.tensors()) {
    hash.update(std::as_bytes(plane.subspan(tensor.offset, tensor.elements)));
  }
}

} // namespace grapevine::cluster
