#include "base/lru_cache.h"

#include <gtest/gtest.h>

namespace grapevine {
namespace {

TEST(LruCache, MakesWhatItDoesNotHold) {
  LruCache<int, int> cache(64);
  int made = 0;
  const auto get = [&](int key) {
    return cache.get(key, [&] {
      ++made;
      return 10 * key;
    });
  };
  EXPECT_EQ(get(1), 10);
  EXPECT_EQ(get(2), 20);
  EXPECT_EQ(get(1), 10);
  EXPECT_EQ(made, 2);
  cache.clear();
  EXPECT_EQ(get(1), 10);
  EXPECT_EQ(made, 3);
}

// However long ago it was made: two exchanges that take turns may be the first
// plan of a long schedule and a new one.
TEST(LruCache, EvictsWhatWasNotAskedForTheLongest) {
  constexpr int kCapacity = 64;
  LruCache<int, int> cache(kCapacity);
  const auto make = [] { return 0; };
  int* first = &cache.get(0, make);
  for (int key = 1; key < kCapacity; ++key)
    cache.get(key, make);
  EXPECT_EQ(&cache.get(0, make), first);
  *first = 7;
  cache.get(-1, make); // evicts 1
  EXPECT_EQ(cache.get(0, make), 7);
  EXPECT_EQ(cache.get(1, [] { return 5; }), 5);
}

} // namespace
} // namespace grapevine
