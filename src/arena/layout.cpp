#include "arena/layout.h"

#include "base/check.h"
#include "base/sha256.h"
#include "kernel/elementwise.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace grapevine::arena {
namespace {

constexpr int64_t kAlignment = 16; // floats: 64 bytes

int64_t round_up(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::vector<double> fold_tensors(
    const Layout& layout,
    std::span<const float> plane,
    double (*fold)(const float*, int64_t)) {
  std::vector<double> sums(layout.tensors().size());
  layout.for_each_block({0, layout.size()}, [&](int tensor, Range block) {
    sums[tensor] += fold(plane.data() + block.begin, block.size());
  });
  return sums;
}

} // namespace

Layout::Layout(std::vector<TensorEntry> tensors)
    : tensors_(std::move(tensors)) {
  for (TensorEntry& tensor : tensors_) {
    tensor.elements = std::accumulate(
        tensor.shape.begin(),
        tensor.shape.end(),
        int64_t{1},
        std::multiplies<>());
    tensor.is_matrix = tensor.shape.size() >= 2;
    tensor.offset = size_;
    size_ = round_up(size_ + tensor.elements, kAlignment);
    elements_ += tensor.elements;
  }
}

void Layout::for_each_block(
    Range range,
    const std::function<void(int, Range)>& visit) const {
  GV_CHECK_EQ(range.begin % kBlock, 0);
  GV_CHECK(range.end % kBlock == 0 || range.end == size_);
  // The first tensor that reaches into the range.
  const auto first = std::partition_point(
      tensors_.begin(),
      tensors_.end(),
      [&](const TensorEntry& tensor) {
        return tensor.offset + tensor.elements <= range.begin;
      });
  for (auto tensor = first; tensor != tensors_.end(); ++tensor) {
    const int64_t end = std::min(tensor->range().end, range.end);
    int64_t at = std::max(tensor->offset, range.begin);
    if (at >= range.end) return;
    while (at < end) {
      const int64_t next = std::min(end, (at / kBlock + 1) * kBlock);
      visit(static_cast<int>(tensor - tensors_.begin()), {at, next});
      at = next;
    }
  }
}

std::string Layout::digest() const {
  Sha256 hash;
  for (const TensorEntry& tensor : tensors_) {
    hash.update(fmt::format(
        "{} [{}] {}\n",
        tensor.name,
        fmt::join(tensor.shape, ","),
        tensor.offset));
  }
  return hash.hex().substr(0, 16);
}

std::vector<double> squared_norms(
    const Layout& layout,
    std::span<const float> plane) {
  return fold_tensors(layout, plane, kernel::sum_of_squares);
}

std::vector<double> tensor_sums(
    const Layout& layout,
    std::span<const float> plane) {
  return fold_tensors(layout, plane, kernel::sum);
}

} // namespace grapevine::arena
