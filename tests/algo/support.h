// Rules and arenas for the tests of the Adam family.
#pragma once

#include "algo/adam.h"
#include "base/random.h"

#include <memory>
#include <span>
#include <vector>

namespace grapevine::algo {

// Odd lengths, matrices and biases; three blocks.
inline const std::vector<std::vector<int64_t>> kShapes =
    {{100, 99}, {33}, {3, 1}, {1}, {7, 11, 13}};

// window: 0 for Adam itself.
inline std::unique_ptr<LocalRule> make(
    const RuleOptions& options,
    int64_t window,
    DecayForm form = DecayForm::kL2) {
  return std::make_unique<Adam>(options, form, std::max<int64_t>(1, window));
}

inline tensor::Arena make_arena(
    std::vector<std::vector<int64_t>> shapes,
    const LocalRule& rule) {
  std::vector<tensor::TensorEntry> entries;
  for (auto& shape : shapes)
    entries.push_back({.name = "t", .shape = std::move(shape)});
  return {
      std::make_shared<tensor::Layout>(std::move(entries)),
      std::make_shared<tensor::Layout>(),
      static_cast<int>(rule.state_planes().size())};
}

// Noise in the tensors, zeros in the gaps.
inline void
fill(const tensor::Layout& layout, std::span<float> plane, uint64_t seed) {
  Random random(seed, Purpose::kTest);
  for (const auto& tensor : layout.tensors()) {
    for (int64_t i = tensor.offset; i < tensor.range().end; ++i)
      plane[i] = static_cast<float>(random.normal());
  }
}

} // namespace grapevine::algo
