#include "tensor/layout.h"

#include "base/sha256.h"
#include "tensor/kernels/elementwise.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <numeric>

namespace grapevine::tensor {
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
  layout.for_each_block(
      {0, layout.size()},
      [&](int tensor, Range block, int64_t) {
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
    tensor.first_block = blocks_;
    if (tensor.elements > 0) {
      blocks_ += (tensor.range().end - 1) / kBlock - tensor.offset / kBlock + 1;
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

std::vector<double> fold_blocks(
    const Layout& layout,
    std::span<const double> of_blocks) {
  GV_CHECK_EQ(static_cast<int64_t>(of_blocks.size()), layout.blocks());
  std::vector<double> sums(layout.tensors().size());
  layout.for_each_block(
      {0, layout.size()},
      [&](int tensor, Range, int64_t number) {
        sums[tensor] += of_blocks[number];
      });
  return sums;
}

std::vector<double> squared_norms(
    const Layout& layout,
    std::span<const float> plane) {
  return fold_tensors(layout, plane, tensor::sum_of_squares);
}

double squared_norm(const Layout& layout, std::span<const float> plane) {
  double total = 0;
  double of_tensor = 0;
  int current = 0;
  layout.for_each_block(
      {0, layout.size()},
      [&](int tensor, Range block, int64_t) {
        if (tensor != current) {
          total += of_tensor;
          of_tensor = 0;
          current = tensor;
        }
        of_tensor +=
            tensor::sum_of_squares(plane.data() + block.begin, block.size());
      });
  return total + of_tensor;
}

} // namespace grapevine::tensor
