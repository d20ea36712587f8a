#include "mix/program.h"

#include <algorithm>

namespace grapevine::mix {

namespace {
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

int posting_round(const Program& program, const Send& send) {
  if (send.slot == kValue) return send.round;
  int written = 0;
  const auto see = [&](int round, int slot, Piece piece) {
    const bool writes =
        round < send.round && slot == send.slot && overlap(piece, send.piece);
    if (writes) written = std::max(written, round);
  };
  for (const Receive& receive : program.receives)
    see(receive.round, receive.slot, receive.piece);
  for (const Combine& combine : program.combines)
    see(combine.round, combine.dst, combine.piece);
  return written + 1;
}

int completion_round(const Program& program) {
  int last = -1;
  for (const Send& send : program.sends) {
    // A result that is passed on belongs to its sends for another round.
    if (send.slot == kResult) last = std::max(last, send.round + 1);
    if (send.slot == kValue) last = std::max(last, send.round);
  }
  for (const Receive& receive : program.receives) {
    if (receive.slot == kResult) last = std::max(last, receive.round);
  }
  for (const Combine& combine : program.combines) {
    if (combine.dst == kResult) last = std::max(last, combine.round);
  }
  return last;
}

} // namespace grapevine::mix
