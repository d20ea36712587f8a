// Where each tensor lies in a plane.
//
// All planes of an arena (parameters, gradients, moments, inboxes) share one
// layout: tensors in module order, each starting at a multiple of 16 floats
// (64 bytes), the gaps zero. Immutable and torch-free.
#pragma once

#include "base/check.h"
#include "base/range.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace grapevine::tensor {

// The unit of everything that is summed over a plane: sums are taken block by
// block, blocks begin at multiples of this in the plane and end with their
// tensor. Ranges that are worked on separately begin at multiples of it too,
// so no cut of the plane, by buckets or threads, changes a sum.
inline constexpr int64_t kBlock = 4096;

struct TensorEntry {
  std::string name;
  std::vector<int64_t> shape;
  int64_t offset = 0;      // in floats
  int64_t elements = 0;    // without the gap behind it
  int64_t first_block = 0; // its number in the whole layout
  bool is_matrix = true;   // two dimensions or more: not a bias, not a norm
  bool is_trained = true;  // else it has no gradient, and nothing decays it

  Range range() const { return {offset, offset + elements}; }
};

class Layout {
 public:
  Layout() = default;
  // Name, shape and is_trained are taken, the rest is computed.
  explicit Layout(std::vector<TensorEntry> tensors);

  const std::vector<TensorEntry>& tensors() const { return tensors_; }
  // Of a plane, with the gaps.
  int64_t size() const { return size_; }
  // Without them: what a person calls the number of parameters.
  int64_t elements() const { return elements_; }

  // Of all tensors together.
  int64_t blocks() const { return blocks_; }

  // Calls visit(int tensor, Range block, int64_t number) for every block of
  // every tensor that lies in `range`, ascending; the number is the block's
  // among all blocks() of the layout. range must begin at a multiple of kBlock
  // and end at one or at size(). Finds its start in O(log tensors) and
  // allocates nothing.
  template <typename Visitor>
  void for_each_block(Range range, Visitor&& visit) const;

  // 16 hexadecimal digits over names, shapes and offsets.
  std::string digest() const;

 private:
  std::vector<TensorEntry> tensors_;
  int64_t size_ = 0;
  int64_t elements_ = 0;
  int64_t blocks_ = 0;
};

template <typename Visitor>
void Layout::for_each_block(Range range, Visitor&& visit) const {
  GV_CHECK_EQ(range.begin % kBlock, 0);
  GV_CHECK(range.end % kBlock == 0 || range.end == size_);
  // The first tensor that reaches into the range.
  const auto first = std::partition_point(
      tensors_.begin(),
      tensors_.end(),
      [&](const TensorEntry& tensor) {
        return tensor.range().end <= range.begin;
      });
  for (auto tensor = first; tensor != tensors_.end(); ++tensor) {
    const int64_t end = std::min(tensor->range().end, range.end);
    int64_t at = std::max(tensor->offset, range.begin);
    if (at >= range.end) return;
    int64_t number =
        tensor->first_block + at / kBlock - tensor->offset / kBlock;
    while (at < end) {
      const int64_t next = std::min(end, (at / kBlock + 1) * kBlock);
      visit(
          static_cast<int>(tensor - tensors_.begin()),
          Range{at, next},
          number++);
      at = next;
    }
  }
}

// For each tensor the sum of what its blocks have, ascending. of_blocks has
// layout.blocks() numbers.
std::vector<double> fold_blocks(
    const Layout& layout,
    std::span<const double> of_blocks);
// The sum of squares of each tensor of a plane, in double, block by block: the
// same bits as fold_blocks gives of the blocks' tensor::sum_of_squares.
std::vector<double> squared_norms(
    const Layout& layout,
    std::span<const float> plane);
// Of the whole plane: the sum over the tensors of the above. Allocates nothing.
double squared_norm(const Layout& layout, std::span<const float> plane);

} // namespace grapevine::tensor
