#include "comm/program.h"

#include <algorithm>

namespace grapevine::comm {

namespace {

template <typename Item>
void sort_by_round(std::vector<Item>& items) {
  std::ranges::stable_sort(items, {}, &Item::round);
}

template <typename Item>
int end_of(const std::vector<Item>& items) {
  int end = 0;
  for (const Item& item : items)
    end = std::max(end, item.round + 1);
  return end;
}

} // namespace

Range piece_of(Range whole, Piece piece) {
  const int64_t base = whole.size() / piece.of;
  const int64_t longer = whole.size() % piece.of;
  const auto begin_of = [&](int64_t index) {
    return whole.begin + index * base + std::min(index, longer);
  };
  return {begin_of(piece.index), begin_of(piece.index + 1)};
}

bool overlap(Piece a, Piece b) {
  return a.of == 1 || b.of == 1 || a.index == b.index;
}

int Program::rounds() const {
  return std::max({end_of(sends), end_of(receives), end_of(combines)});
}

void Program::sort() {
  sort_by_round(sends);
  sort_by_round(receives);
  sort_by_round(combines);
}

} // namespace grapevine::comm
