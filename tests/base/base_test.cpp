#include "base/check.h"
#include "base/json_depth.h"
#include "base/names.h"
#include "base/random.h"
#include "base/sha256.h"
#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

namespace grapevine {
namespace {

TEST(Random, SameAddressSameNumbers) {
  Random a(7, Purpose::kTest, 1, 2);
  Random b(7, Purpose::kTest, 1, 2);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(a.next(), b.next());
}

TEST(Random, EveryPartOfTheAddressMatters) {
  const uint64_t first = Random(7, Purpose::kTest, 1, 2).next();
  EXPECT_NE(first, Random(8, Purpose::kTest, 1, 2).next());
  EXPECT_NE(first, Random(7, Purpose::kGraph, 1, 2).next());
  EXPECT_NE(first, Random(7, Purpose::kTest, 2, 2).next());
  EXPECT_NE(first, Random(7, Purpose::kTest, 1, 3).next());
  EXPECT_NE(first, Random(7, Purpose::kTest, 2, 1).next());
}

TEST(Random, UniformAndNormalHaveTheirMoments) {
  Random random(1, Purpose::kTest);
  const int count = 200000;
  double sum = 0;
  double normal_sum = 0;
  double normal_squares = 0;
  for (int i = 0; i < count; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    const double z = random.normal();
    normal_sum += z;
    normal_squares += z * z;
  }
  EXPECT_NEAR(sum / count, 0.5, 0.005);
  EXPECT_NEAR(normal_sum / count, 0, 0.01);
  EXPECT_NEAR(normal_squares / count, 1, 0.02);
}

TEST(Random, BelowIsFairAndInRange) {
  Random random(3, Purpose::kTest);
  std::vector<int> seen(7);
  for (int i = 0; i < 70000; ++i)
    ++seen[random.below(7)];
  for (const int count : seen)
    EXPECT_NEAR(count, 10000, 500);
}

TEST(Random, ShuffleIsAPermutation) {
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 0);
  Random(3, Purpose::kTest).shuffle(std::span<int>(values));
  EXPECT_NE(values[0] + values[1] + values[2], 3);
  std::ranges::sort(values);
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(values[i], i);
}

TEST(Names, NearestSpelling) {
  const std::vector<std::string> names = {"ring", "torus", "exponential"};
  EXPECT_EQ(nearest_spelling("rng", names), "ring");
  EXPECT_EQ(nearest_spelling("tours", names), "torus");
  EXPECT_EQ(nearest_spelling("exponentail", names), "exponential");
  EXPECT_EQ(nearest_spelling("zebra", names), std::nullopt);
  EXPECT_EQ(one_of(names), "ring, torus or exponential");
}

TEST(Sha256, PublishedDigests) {
  EXPECT_EQ(
      sha256_hex("abc"),
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 pieces;
  pieces.update("a");
  pieces.update("bc");
  EXPECT_EQ(pieces.hex(), sha256_hex("abc"));
}

TEST(ThreadPool, EveryIndexOnce) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const int count : {0, 1, 3, 1000}) {
      std::vector<std::atomic<int>> seen(count);
      pool.for_each(count, [&](int64_t index, int thread) {
        EXPECT_LT(thread, threads);
        ++seen[index];
      });
      for (const auto& times : seen)
        EXPECT_EQ(times, 1);
    }
  }
}

TEST(ThreadPool, FirstErrorIsThrownAndThePoolGoesOn) {
  ThreadPool pool(3);
  EXPECT_THROW(
      pool.for_each(
          100,
          [](int64_t index, int) {
            if (index == 41) throw std::runtime_error("41");
          }),
      std::runtime_error);
  std::atomic<int> done = 0;
  pool.for_each(10, [&](int64_t, int) { ++done; });
  EXPECT_EQ(done, 10);
}

TEST(ThreadPool, StartHookRunsOnEveryThread) {
  std::atomic<int> starts = 0;
  {
    ThreadPool pool(4, [&] { ++starts; });
    pool.for_each(4, [](int64_t, int) {});
  }
  EXPECT_EQ(starts, 4);
}

TEST(JsonDepth, CountsWhatIsOpenOutsideOfStrings) {
  EXPECT_EQ(json_depth(""), 0);
  EXPECT_EQ(json_depth("7"), 0);
  EXPECT_EQ(json_depth("[]"), 1);
  EXPECT_EQ(json_depth(R"({"a": [1, {"b": []}], "c": {}})"), 4);
  EXPECT_EQ(json_depth(R"(["[[[[", "\"[[", "\\", [1]])"), 2);
  EXPECT_EQ(json_depth("[\"[[[["), 1);
  EXPECT_EQ(json_depth("\"\\"), 0);
  EXPECT_EQ(json_depth(std::string(100'000, '[')), 100'000);
}

TEST(Check, PrintsBothValues) {
  try {
    GV_CHECK_EQ(1 + 1, 3);
    FAIL();
  } catch (const CheckFailure& failure) {
    EXPECT_NE(std::string(failure.what()).find("2 vs 3"), std::string::npos);
  }
}

} // namespace
} // namespace grapevine
