// The small parts that the transports share.
#include "base/check.h"
#include "net/key_value_store.h"
#include "net/slot_transport.h"

#include <gtest/gtest.h>

#include <utility>

namespace grapevine::net {
namespace {

std::vector<std::pair<size_t, size_t>> pieces(size_t bytes, size_t limit) {
  std::vector<std::pair<size_t, size_t>> result;
  for_each_piece(bytes, limit, [&](size_t offset, size_t length) {
    result.emplace_back(offset, length);
  });
  return result;
}

TEST(Pieces, CoverTheMessage) {
  using Pieces = std::vector<std::pair<size_t, size_t>>;
  EXPECT_EQ(pieces(0, 10), (Pieces{{0, 0}}));
  EXPECT_EQ(pieces(1, 10), (Pieces{{0, 1}}));
  EXPECT_EQ(pieces(10, 10), (Pieces{{0, 10}}));
  EXPECT_EQ(pieces(11, 10), (Pieces{{0, 10}, {10, 1}}));
  EXPECT_EQ(pieces(30, 10), (Pieces{{0, 10}, {10, 10}, {20, 10}}));
}

// Beyond what an int can count.
TEST(Pieces, OfFiveGigabytes) {
  const size_t limit = size_t{1} << 30;
  const auto all = pieces(5 * limit + 3, limit);
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[4], std::make_pair(4 * limit, limit));
  EXPECT_EQ(all[5], std::make_pair(5 * limit, size_t{3}));
}

TEST(SlotTable, ReusesSlotsAndKeepsAddresses) {
  SlotTable<int> table;
  const Request a = table.take();
  const Request b = table.take();
  EXPECT_NE(a.slot, b.slot);
  int* address = &table.at(a);
  *address = 7;
  for (int i = 0; i < 1000; ++i) {
    table.take();
  }
  EXPECT_EQ(&table.at(a), address);
  table.give_back(a);
  EXPECT_EQ(table.take().slot, a.slot);
  EXPECT_EQ(table.at(a), 7);
}

TEST(SlotTable, RefusesSpentRequests) {
  SlotTable<int> table;
  const Request a = table.take();
  table.give_back(a);
  EXPECT_THROW(table.at(a), CheckFailure);
  EXPECT_THROW(table.give_back(a), CheckFailure);
  EXPECT_THROW(table.at(Request{1}), CheckFailure);
  EXPECT_THROW(table.at(Request{}), CheckFailure);
}

TEST(ParseCount, RefusesWhatIsNone) {
  EXPECT_EQ(parse_count("12"), 12);
  for (const char* text : {"", "x", "1 ", "1x", "99999999999999999999"})
    EXPECT_THROW(parse_count(text), TransportError) << text;
}

} // namespace
} // namespace grapevine::net
