// Window sums of a lattice by doubling, for models so small that latency
// rules.
//
//   B_0(i) = x_i,   B_{j+1}(i) = B_j(i) + B_j(i + 2^j)      (indices mod n)
//   x_i <- (B_a(w) + B_b(w + 2^a) + ...) / m
//
// where m = k+1 = 2^a + 2^b + ... (a > b > ...) and w = i - k/2 is where the
// window of i begins. At most floor(log2 m) + popcount(m) messages per worker,
// each a plane; floor(log2 m) + 1 rounds.
#include "base/check.h"
#include "mix/plans/plans.h"

#include <fmt/format.h>

#include <bit>

namespace grapevine::mix {
namespace {

// B_level at the worker `offset` after the owner is part of its window.
struct Part {
  int level;
  int offset;
};

std::vector<Part> parts_of_window(int k) {
  std::vector<Part> parts;
  const auto m = static_cast<unsigned>(k + 1);
  int offset = -k / 2;
  for (int level = std::bit_width(m) - 1; level >= 0; --level) {
    if ((m >> level & 1) == 0) continue;
    parts.push_back({level, offset});
    offset += 1 << level;
  }
  return parts;
}

} // namespace

int doubling_messages(int k) {
  const auto m = static_cast<unsigned>(k + 1);
  return std::bit_width(m) - 1 + std::popcount(m);
}

PlanPtr make_doubling_plan(int n, int k) {
  GV_CHECK(k >= 2 && k % 2 == 0 && k <= n - 2);
  const std::vector<Part> parts = parts_of_window(k);
  const auto wrap = [n](int i) { return (i % n + n) % n; };
  Dataflow flow(n);
  // sums[level][i] is the number of B_level(i), made when first needed, so
  // that the levels advance together around the ring.
  std::vector<std::vector<int>> sums(
      parts.front().level + 1,
      std::vector<int>(n, -1));
  for (int i = 0; i < n; ++i)
    sums[0][i] = i;
  const auto sum_at = [&](auto&& self, int level, int i) -> int {
    int& number = sums[level][i];
    if (number < 0) {
      const int left = self(self, level - 1, i);
      const int right = self(self, level - 1, wrap(i + (1 << (level - 1))));
      number = flow.add({.terms = {left, right}, .owners = {i}});
    }
    return number;
  };
  for (int i = 0; i < n; ++i) {
    std::vector<int> terms;
    for (const Part& part : parts)
      terms.push_back(sum_at(sum_at, part.level, wrap(i + part.offset)));
    flow.results[i] = flow.add(
        {.terms = std::move(terms),
         .owners = {i},
         .scale = static_cast<float>(1.0 / (k + 1))});
  }
  return std::make_shared<Plan>(
      PlanKind{
          .name = "doubling",
          .how = fmt::format(
              "windows of {} from windows of half the length",
              k + 1),
          .why = "latency rules for a model of this size"},
      std::move(flow));
}

} // namespace grapevine::mix
