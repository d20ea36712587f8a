#include "mix/plans/doubling_plan.h"

#include "base/check.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

namespace grapevine::mix {

namespace {

int log2_floor(int m) {
  return std::bit_width(static_cast<unsigned>(m)) - 1;
}

} // namespace

DoublingPlan::DoublingPlan(int n, int k)
    : n_(n),
      k_(k),
      levels_(log2_floor(k + 1)) {
  GV_CHECK(k >= 2 && k % 2 == 0 && k <= n - 2);
  int offset = -k / 2;
  for (int level = levels_; level >= 0; --level) {
    if (((k + 1) >> level & 1) == 0) continue;
    parts_.push_back({level, offset});
    offset += 1 << level;
  }
}

int DoublingPlan::message_bound(int k) {
  return log2_floor(k + 1) + std::popcount(static_cast<unsigned>(k + 1));
}

std::string DoublingPlan::describe() const {
  return fmt::format(
      "doubling: windows of {} from windows of half the length, {} messages "
      "and {} model copies a worker; latency rules for a model of this size",
      k_ + 1,
      max_messages(),
      max_copies());
}

Program DoublingPlan::program(int rank) const {
  Program program;
  // What travels in a round is B_level(i + offset) to worker i. A part of the
  // window that doubling fetches anyway is sent once.
  const auto transfer = [&](int level, int own_slot, int offset) {
    const int slot = program.add_slot();
    program.sends.push_back({level, wrap(rank - offset), own_slot});
    program.receives.push_back({level, wrap(rank + offset), slot});
    return slot;
  };

  Combine window{
      .round = levels_,
      .dst = kResult,
      .terms = std::vector<int>(parts_.size()),
      .scale = static_cast<float>(1.0 / (k_ + 1))};
  int own = kValue; // the slot of B_level(rank)
  for (int level = 0; level <= levels_; ++level) {
    int other = -1; // the slot of B_level(rank + 2^level)
    if (level < levels_) other = transfer(level, own, 1 << level);
    for (size_t p = 0; p < parts_.size(); ++p) {
      const Part& part = parts_[p];
      if (part.level != level) continue;
      if (wrap(part.offset) == 0) {
        window.terms[p] = own;
      } else if (other >= 0 && wrap(part.offset) == wrap(1 << level)) {
        window.terms[p] = other;
      } else {
        window.terms[p] = transfer(level, own, part.offset);
      }
    }
    if (level == levels_) break;
    const int next = program.add_slot();
    program.combines.push_back(
        {.round = level, .dst = next, .terms = {own, other}});
    own = next;
  }
  program.combines.push_back(std::move(window));
  return program;
}

Dataflow DoublingPlan::dataflow() const {
  Dataflow flow(n_);
  // sums[level][i] is the number of B_level(i), made when first needed, so
  // that the levels advance together around the ring.
  std::vector<std::vector<int>> sums(levels_ + 1, std::vector<int>(n_, -1));
  for (int i = 0; i < n_; ++i)
    sums[0][i] = i;
  const auto sum_at = [&](auto&& self, int level, int i) -> int {
    int& number = sums[level][i];
    if (number < 0) {
      const int left = self(self, level - 1, i);
      const int right = self(self, level - 1, wrap(i + (1 << (level - 1))));
      number = flow.add({left, right});
    }
    return number;
  };
  for (int i = 0; i < n_; ++i) {
    std::vector<int> terms;
    for (const Part& part : parts_) {
      terms.push_back(sum_at(sum_at, part.level, wrap(i + part.offset)));
    }
    flow.results[i] =
        flow.add(std::move(terms), static_cast<float>(1.0 / (k_ + 1)));
  }
  return flow;
}

} // namespace grapevine::mix
