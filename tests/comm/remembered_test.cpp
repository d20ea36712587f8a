#include "comm/remembered.h"

#include <gtest/gtest.h>

namespace grapevine::comm {
namespace {

using Numbers = Remembered<int, int>;

TEST(Remembered, MakesWhatItDoesNotKnow) {
  Numbers numbers;
  int made = 0;
  const auto get = [&](int key) {
    return numbers.get(key, [&] {
      ++made;
      return 10 * key;
    });
  };
  EXPECT_EQ(get(1), 10);
  EXPECT_EQ(get(2), 20);
  EXPECT_EQ(get(1), 10);
  EXPECT_EQ(made, 2);
  numbers.clear();
  EXPECT_EQ(get(1), 10);
  EXPECT_EQ(made, 3);
}

// However long ago it was made: two exchanges that take turns may be the first
// plan of a long schedule and a new one.
TEST(Remembered, KeepsWhatWasAskedForLast) {
  Numbers numbers;
  const auto make = [] { return 0; };
  int* first = &numbers.get(0, make);
  for (int key = 1; key < static_cast<int>(Numbers::kMost); ++key)
    numbers.get(key, make);
  EXPECT_EQ(&numbers.get(0, make), first);
  *first = 7;
  numbers.get(-1, make); // forgets 1
  EXPECT_EQ(numbers.get(0, make), 7);
  EXPECT_EQ(numbers.get(1, [] { return 5; }), 5);
}

} // namespace
} // namespace grapevine::comm
