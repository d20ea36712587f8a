// Arenas and replicas of a few thousand numbers, for the tests of gossip.
#pragma once

#include "base/random.h"
#include "gossip/replica.h"
#include "tensor/arena.h"

#include <memory>
#include <span>
#include <vector>

namespace grapevine::gossip {

inline void fill(std::span<float> values, uint64_t seed) {
  Random random(seed, Purpose::kTest);
  for (float& value : values)
    value = static_cast<float>(random.normal());
}

// Of one small tensor.
inline std::unique_ptr<tensor::Arena> make_tiny_arena(uint64_t seed) {
  auto layout = std::make_shared<tensor::Layout>(
      std::vector<tensor::TensorEntry>{{.name = "a", .shape = {4, 16}}});
  auto arena = std::make_unique<tensor::Arena>(
      layout,
      std::make_shared<tensor::Layout>(),
      1);
  fill(arena->parameters(), seed);
  return arena;
}

// Of four tensors that neither begin nor end with a block; parameters by seed.
inline std::unique_ptr<tensor::Arena> make_arena(
    uint64_t seed,
    int state_planes = 0) {
  auto layout =
      std::make_shared<tensor::Layout>(std::vector<tensor::TensorEntry>{
          {.name = "a", .shape = {70, 80}},
          {.name = "b", .shape = {48}},
          {.name = "c", .shape = {96, 100}},
          {.name = "d", .shape = {16}}});
  auto arena = std::make_unique<tensor::Arena>(
      layout,
      std::make_shared<tensor::Layout>(),
      state_planes);
  fill(arena->parameters(), seed);
  return arena;
}

inline void pull_all(
    Replica& replica,
    double now,
    std::span<const float> mine,
    std::span<const float> theirs) {
  for (int p = 0; p < replica.pieces(); ++p) {
    const auto [begin, end] = replica.range(p);
    replica.pull(
        p,
        now,
        mine.subspan(begin, end - begin),
        theirs.subspan(begin, end - begin));
  }
}

} // namespace grapevine::gossip
