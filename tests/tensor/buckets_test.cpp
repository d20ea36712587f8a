// Any order and size: every block once, after the last of its tensors.
#include "tensor/buckets.h"
#include "base/random.h"

#include <gtest/gtest.h>

#include <numeric>

namespace grapevine::tensor {
namespace {

Layout layout_of(std::vector<std::vector<int64_t>> shapes) {
  std::vector<TensorEntry> entries;
  for (auto& shape : shapes) {
    entries.push_back(
        {.name = std::to_string(entries.size()), .shape = std::move(shape)});
  }
  return Layout(std::move(entries));
}

std::vector<int> shuffled(int count, uint64_t seed) {
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  Random(seed, Purpose::kTest).shuffle(std::span(order));
  return order;
}

void expect_partition(const Layout& layout, const Buckets& buckets) {
  std::vector<int> seen(layout.size());
  for (int b = 0; b < buckets.size(); ++b) {
    for (const Range& range : buckets.ranges(b)) {
      EXPECT_EQ(range.begin % kBlock, 0);
      EXPECT_TRUE(range.end % kBlock == 0 || range.end == layout.size());
      for (int64_t e = range.begin; e < range.end; ++e)
        ++seen[e];
    }
  }
  for (const int times : seen)
    ASSERT_EQ(times, 1);
}

TEST(Buckets, AnyOrderCoversThePlaneOnce) {
  const Layout layout =
      layout_of({{90, 77}, {13}, {}, {300, 100}, {7}, {50, 51}, {9000}});
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<int> order = shuffled(7, seed);
    for (const int64_t bytes : {1, 20'000, 100'000, 10'000'000}) {
      const Buckets buckets(layout, order, bytes);
      expect_partition(layout, buckets);
      // No bucket waits for a tensor later than one that an earlier bucket
      // waits for.
      std::vector<int> place(7);
      for (int i = 0; i < 7; ++i)
        place[order[i]] = i;
      int latest = 0;
      for (int b = 0; b < buckets.size(); ++b) {
        int mine = 0;
        for (const int tensor : buckets.tensors(b))
          mine = std::max(mine, place[tensor]);
        EXPECT_GE(mine, latest);
        latest = mine;
      }
    }
  }
}

TEST(Buckets, BackwardOrderGivesRangesFromTheEnd) {
  const Layout layout = layout_of({{4 * kBlock}, {4 * kBlock}, {4 * kBlock}});
  const std::vector<int> order = {2, 1, 0};
  const Buckets buckets(layout, order, 2 * kBlock * 4);
  ASSERT_EQ(buckets.size(), 6);
  for (int b = 0; b < 6; ++b) {
    ASSERT_EQ(buckets.ranges(b).size(), 1u);
    EXPECT_EQ(buckets.ranges(b)[0].end, (12 - 2 * b) * kBlock);
    EXPECT_EQ(buckets.tensors(b).size(), 1u);
    EXPECT_EQ(buckets.tensors(b)[0], 2 - b / 2);
  }
  EXPECT_EQ(buckets.buckets_of(1).size(), 2u);
}

TEST(Buckets, WholeIsOne) {
  const Layout layout = layout_of({{10}, {20000}});
  const Buckets buckets = Buckets::whole(layout);
  ASSERT_EQ(buckets.size(), 1);
  EXPECT_EQ(buckets.elements(0), layout.size());
  EXPECT_EQ(buckets.tensors(0).size(), 2u);
}

} // namespace
} // namespace grapevine::tensor
