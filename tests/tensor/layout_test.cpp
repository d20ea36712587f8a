#include "tensor/layout.h"
#include "base/check.h"
#include "base/random.h"
#include "tensor/arena.h"
#include "tensor/kernels/elementwise.h"

#include <gtest/gtest.h>

#include <numeric>

#include <cmath>
#include <vector>

namespace grapevine::tensor {
namespace {

Layout odd_layout() {
  return Layout(
      {{.name = "a", .shape = {3, 5}},
       {.name = "b", .shape = {7}},
       {.name = "big", .shape = {100, 123}},
       {.name = "scalar", .shape = {}},
       {.name = "empty", .shape = {0, 4}},
       {.name = "last", .shape = {1}}});
}

TEST(Layout, TensorsAreAlignedAndGapsCounted) {
  const Layout layout = odd_layout();
  int64_t elements = 0;
  for (const TensorEntry& tensor : layout.tensors()) {
    EXPECT_EQ(tensor.offset % 16, 0) << tensor.name;
    elements += tensor.elements;
  }
  EXPECT_EQ(layout.elements(), elements);
  EXPECT_EQ(layout.tensors()[1].offset, 16);
  EXPECT_EQ(layout.tensors()[2].offset, 32);
  EXPECT_EQ(layout.size() % 16, 0);
  EXPECT_TRUE(layout.tensors()[0].is_matrix);
  EXPECT_FALSE(layout.tensors()[1].is_matrix);
}

TEST(Layout, BlocksCoverEveryElementOnceForAnyCut) {
  const Layout layout = odd_layout();
  for (const int64_t cut : {kBlock, 2 * kBlock, 100 * kBlock}) {
    std::vector<int> owner(layout.size(), -1);
    int64_t next_number = 0;
    for (int64_t begin = 0; begin < layout.size(); begin += cut) {
      const Range range{begin, std::min(begin + cut, layout.size())};
      layout.for_each_block(
          range,
          [&](int tensor, Range block, int64_t number) {
            EXPECT_EQ(number, next_number++);
            EXPECT_GE(block.begin, range.begin);
            EXPECT_LE(block.end, range.end);
            EXPECT_LE(block.size(), kBlock);
            for (int64_t i = block.begin; i < block.end; ++i) {
              EXPECT_EQ(owner[i], -1);
              owner[i] = tensor;
            }
          });
    }
    EXPECT_EQ(next_number, layout.blocks());
    for (size_t t = 0; t < layout.tensors().size(); ++t) {
      const Range range = layout.tensors()[t].range();
      for (int64_t i = range.begin; i < range.end; ++i) {
        EXPECT_EQ(owner[i], static_cast<int>(t));
      }
    }
  }
}

TEST(Layout, RangesMustBeginAtBlocks) {
  EXPECT_THROW(
      odd_layout().for_each_block({1, kBlock}, [](int, Range, int64_t) {}),
      CheckFailure);
}

TEST(Layout, DigestTellsLayoutsApart) {
  EXPECT_EQ(odd_layout().digest(), odd_layout().digest());
  EXPECT_NE(
      Layout({{.name = "a", .shape = {2, 3}}}).digest(),
      Layout({{.name = "a", .shape = {3, 2}}}).digest());
  EXPECT_NE(
      Layout({{.name = "a", .shape = {2}}}).digest(),
      Layout({{.name = "b", .shape = {2}}}).digest());
}

TEST(Arena, PlanesAreAlignedZeroAndOfOneLayout) {
  auto layout = std::make_shared<Layout>(odd_layout());
  Arena arena(layout, std::make_shared<Layout>(), 2);
  for (std::span<float> plane :
       {arena.parameters(),
        arena.gradients(),
        arena.state(0),
        arena.state(1)}) {
    EXPECT_EQ(static_cast<int64_t>(plane.size()), layout->size());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(plane.data()) % 64, 0U);
    for (const float value : plane)
      EXPECT_EQ(value, 0.0F);
  }
  EXPECT_TRUE(arena.buffers().empty());
}

TEST(SquaredNorms, AgreeWithAPlainSum) {
  const Layout layout = odd_layout();
  std::vector<float> plane(layout.size());
  Random random(1, Purpose::kTest);
  for (float& value : plane)
    value = static_cast<float>(random.normal());
  const auto norms = squared_norms(layout, plane);
  EXPECT_EQ(
      squared_norm(layout, plane),
      std::accumulate(norms.begin(), norms.end(), 0.0));
  for (size_t t = 0; t < layout.tensors().size(); ++t) {
    double slow = 0;
    const Range range = layout.tensors()[t].range();
    for (int64_t i = range.begin; i < range.end; ++i) {
      slow += static_cast<double>(plane[i]) * plane[i];
    }
    EXPECT_NEAR(norms[t], slow, 1e-10 * (1 + slow));
  }
}

TEST(SquaredNorms, FoldFromBlocksThatCameInAnyOrder) {
  const Layout layout = odd_layout();
  std::vector<float> plane(layout.size());
  Random random(2, Purpose::kTest);
  for (float& value : plane)
    value = static_cast<float>(random.normal());
  std::vector<double> squares(layout.blocks(), -1);
  for (int64_t begin = layout.size() / kBlock * kBlock; begin >= 0;
       begin -= kBlock) {
    const Range range{begin, std::min(begin + kBlock, layout.size())};
    layout.for_each_block(range, [&](int, Range block, int64_t number) {
      squares[number] =
          tensor::sum_of_squares(plane.data() + block.begin, block.size());
    });
  }
  EXPECT_EQ(fold_blocks(layout, squares), squared_norms(layout, plane));
}

} // namespace
} // namespace grapevine::tensor
