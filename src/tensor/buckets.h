// A plane cut into buckets, in the order in which backward finishes them.
//
// A bucket is what is updated and exchanged at once: ranges of whole blocks
// (tensor/layout.h), so no cut changes a sum. A block belongs to the bucket in
// which the last of its tensors becomes final. Every block is in one bucket,
// the buckets of later blocks come later, and none is much larger than asked
// for, but it has at least one block. Immutable.
#pragma once

#include "base/range.h"
#include "tensor/layout.h"

#include <cstdint>
#include <span>
#include <vector>

namespace grapevine::tensor {

class Buckets {
 public:
  // The whole plane, in one bucket.
  static Buckets whole(const Layout& layout);

  // order: all tensors of the layout, the first that is final first.
  Buckets(const Layout& layout, std::span<const int> order, int64_t bytes);

  int size() const { return static_cast<int>(ranges_.size()); }
  // Ascending, not adjacent.
  std::span<const Range> ranges(int bucket) const { return ranges_[bucket]; }
  // Those with elements in the bucket: it is final when they are.
  std::span<const int> tensors(int bucket) const { return tensors_[bucket]; }
  // The buckets that a tensor has elements in, ascending.
  std::span<const int> buckets_of(int tensor) const {
    return buckets_of_[tensor];
  }
  // Floats of all its ranges.
  int64_t elements(int bucket) const;

 private:
  Buckets() = default;
  void find_tensors(const Layout& layout);

  std::vector<std::vector<Range>> ranges_;
  std::vector<std::vector<int>> tensors_;
  std::vector<std::vector<int>> buckets_of_;
};

} // namespace grapevine::tensor
