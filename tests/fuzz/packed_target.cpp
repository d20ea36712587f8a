#include "fuzz/support.h"
#include "tensor/kernels/packed_floats.h"

#include <iterator>
#include <vector>

namespace grapevine::fuzz {

// The first byte says how many floats are expected. What can be read can be
// packed again, perhaps shorter, and read to the same values.
void read_packed(Bytes input) {
  Choices choices(input);
  constexpr size_t kFloats[] = {0, 3, 256, 259, 512};
  const size_t floats = kFloats[choices.next(std::size(kFloats))];
  const auto packed = std::as_bytes(std::span(input));
  std::vector<std::byte> values(floats * sizeof(float));
  if (!tensor::unpack_floats(packed, values)) return;
  std::vector<std::byte> again(tensor::packed_bound(floats));
  again.resize(tensor::pack_floats(values, again));
  std::vector<std::byte> same(values.size());
  GV_CHECK(tensor::unpack_floats(again, same));
  GV_CHECK(values == same);
}

} // namespace grapevine::fuzz
