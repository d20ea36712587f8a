// The one bank of a worker's memory: planes of one layout, allocated once.
//
//   parameters, gradients, and as many state planes as the local rule asks
//   for (SGD with momentum: one); and, of a layout of their own, the buffers
//   that a model carries beside its parameters (batch-norm statistics).
#pragma once

#include "base/aligned.h"
#include "tensor/layout.h"

#include <memory>
#include <span>
#include <vector>

namespace grapevine::tensor {

class Arena {
 public:
  Arena(
      std::shared_ptr<const Layout> layout,
      std::shared_ptr<const Layout> buffer_layout,
      int state_planes);

  const Layout& layout() const { return *layout_; }
  const Layout& buffer_layout() const { return *buffer_layout_; }

  std::span<float> parameters() { return parameters_.span(); }
  std::span<const float> parameters() const { return parameters_.span(); }
  std::span<float> gradients() { return gradients_.span(); }
  std::span<const float> gradients() const { return gradients_.span(); }
  std::span<float> state(int plane) { return state_[plane].span(); }
  std::span<const float> state(int plane) const { return state_[plane].span(); }
  int state_planes() const { return static_cast<int>(state_.size()); }
  std::span<float> buffers() { return buffers_.span(); }
  std::span<const float> buffers() const { return buffers_.span(); }

  void clear_gradients();

 private:
  std::shared_ptr<const Layout> layout_;
  std::shared_ptr<const Layout> buffer_layout_;
  AlignedFloats parameters_;
  AlignedFloats gradients_;
  AlignedFloats buffers_;
  std::vector<AlignedFloats> state_;
};

} // namespace grapevine::tensor
