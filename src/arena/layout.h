// Where each tensor lies in a plane.
//
// All planes of an arena (parameters, gradients, moments, inboxes) share one
// layout: tensors in module order, each starting at a multiple of 16 floats
// (64 bytes), the gaps zero. Immutable and torch-free.
#pragma once

#include "base/range.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace grapevine::arena {

// The unit of everything that is summed over a plane: sums are taken block by
// block, blocks begin at multiples of this in the plane and end with their
// tensor. Ranges that are worked on separately begin at multiples of it too,
// so no cut of the plane, by buckets or threads, changes a sum.
inline constexpr int64_t kBlock = 4096;

struct TensorEntry {
  std::string name;
  std::vector<int64_t> shape;
  int64_t offset = 0;    // in floats
  int64_t elements = 0;  // without the gap behind it
  bool is_matrix = true; // two dimensions or more: not a bias, not a norm

  Range range() const { return {offset, offset + elements}; }
};

class Layout {
 public:
  Layout() = default;
  // Offsets and element counts are computed; name and shape are taken.
  explicit Layout(std::vector<TensorEntry> tensors);

  const std::vector<TensorEntry>& tensors() const { return tensors_; }
  // Of a plane, with the gaps.
  int64_t size() const { return size_; }
  // Without them: what a person calls the number of parameters.
  int64_t elements() const { return elements_; }

  // Calls visit(tensor index, block) for every block of every tensor that
  // lies in `range`, ascending. range must begin at a multiple of kBlock and
  // end at one or at size().
  void for_each_block(Range range, const std::function<void(int, Range)>& visit)
      const;

  // 16 hexadecimal digits over names, shapes and offsets.
  std::string digest() const;

 private:
  std::vector<TensorEntry> tensors_;
  int64_t size_ = 0;
  int64_t elements_ = 0;
};

// The sum of squares of each tensor of a plane, in double, block by block.
std::vector<double> squared_norms(
    const Layout& layout,
    std::span<const float> plane);
// The plain sums.
std::vector<double> tensor_sums(
    const Layout& layout,
    std::span<const float> plane);

} // namespace grapevine::arena
