#include "tensor/arena.h"

#include <algorithm>

namespace grapevine::tensor {

Arena::Arena(
    std::shared_ptr<const Layout> layout,
    std::shared_ptr<const Layout> buffer_layout,
    int state_planes)
    : layout_(std::move(layout)),
      buffer_layout_(std::move(buffer_layout)),
      parameters_(layout_->size()),
      gradients_(layout_->size()),
      buffers_(buffer_layout_->size()) {
  for (int plane = 0; plane < state_planes; ++plane) {
    state_.emplace_back(layout_->size());
  }
}

void Arena::clear_gradients() {
  std::ranges::fill(gradients(), 0.0F);
}

} // namespace grapevine::tensor
