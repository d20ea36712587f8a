// Window sums of a lattice from prefix and suffix sums, for models so large
// that bandwidth rules: at most 4 planes per worker for any k.
//
// The ring is cut into ceil(n/m) blocks of nearly equal length, m = k+1.
// Along each block the workers pass, in a pipeline,
//
//   P(p) = P(p-1) + x(p)   to the right,   S(p) = x(p) + S(p+1)   to the left
//
// and the window that begins at w = i - k/2 and ends at z = i + k/2 is
//
//   x_i <- ((S(w) + T) + P(z)) / m
//
// with T the sum of the whole block between those of w and z, if there is
// one: it holds i itself, so T = P(i) + S(i+1) is computed from what i has
// seen pass by. A window that is one whole block is T alone.
//
// A worker sends P and S along its block and to the one owner each whose
// window begins or ends with it: at most 4 messages and 4 planes. As many
// rounds as the longest block has workers.
#include "base/check.h"
#include "mix/plans/plans.h"

#include <fmt/format.h>

#include <utility>

namespace grapevine::mix {
namespace {

int blocks_for(int n, int k) {
  return (n + k) / (k + 1);
}

class BlockScan {
 public:
  BlockScan(int n, int k)
      : n_(n),
        k_(k),
        blocks_(blocks_for(n, k)),
        scale_(static_cast<float>(1.0 / (k + 1))),
        flow_(n),
        prefixes_(n, -1),
        suffixes_(n, -1) {}

  // Around the ring once, window by window. The suffixes of a block are made
  // when the windows' ends reach it, prefixes as they are needed: a worker's
  // value is read for the last time before its own window is written.
  Dataflow write() {
    for (int i = 0; i < n_; ++i)
      add_window(i);
    return std::move(flow_);
  }

 private:
  // Where a worker stands in its block.
  struct Place {
    int block;
    Range range; // of the block
    bool at_start;
    bool at_end;
  };

  int wrap(int i) const { return (i % n_ + n_) % n_; }

  Place place(int rank) const {
    // The first n % blocks blocks are one longer, as in piece_of.
    const int shorter = n_ / blocks_;
    const int longer_blocks = n_ % blocks_;
    const int in_longer = longer_blocks * (shorter + 1);
    const int block = rank < in_longer
                          ? rank / (shorter + 1)
                          : longer_blocks + (rank - in_longer) / shorter;
    const Range range = piece_of({0, n_}, {block, blocks_});
    return {
        .block = block,
        .range = range,
        .at_start = rank == range.begin,
        .at_end = rank == range.end - 1};
  }

  int add(std::vector<int> terms, int owner, float scale = 1) {
    return flow_.add(
        {.terms = std::move(terms), .owners = {owner}, .scale = scale});
  }

  void add_suffixes(const Place& at) {
    const int first = static_cast<int>(at.range.begin);
    if (suffixes_[first] >= 0) return;
    const int end = static_cast<int>(at.range.end) - 1;
    suffixes_[end] = end;
    for (int i = end - 1; i >= first; --i)
      suffixes_[i] = add({i, suffixes_[i + 1]}, i);
  }

  int prefix_at(int rank) {
    int begin = rank;
    while (prefixes_[begin] < 0 && !place(begin).at_start)
      --begin;
    if (prefixes_[begin] < 0) prefixes_[begin] = begin;
    for (int i = begin + 1; i <= rank; ++i)
      prefixes_[i] = add({prefixes_[i - 1], i}, i);
    return prefixes_[rank];
  }

  // The terms of T in a worker's block.
  std::vector<int> total_at(int i) {
    add_suffixes(place(i));
    std::vector<int> total{prefix_at(i)};
    if (!place(i).at_end) total.push_back(suffixes_[i + 1]);
    return total;
  }

  // At most one whole block lies between the ends, and it holds the owner. Let
  // B be the number of blocks, the least with B m >= n, so n > (B-1) m; the
  // shortest block has at least floor(n/B) >= floor(((B-1) m + 1) / B) workers,
  // which for B >= 2 is at least (m+1)/2 = k/2 + 1. Two such blocks and a
  // worker at each end would be k + 4 > m workers. With one such block,
  // k/2 - 1 workers at most remain for each end, and the owner has k/2 on each
  // side of it.
  void add_window(int i) {
    const int w = wrap(i - k_ / 2);
    const int z = wrap(i + k_ / 2);
    const Place first = place(w);
    const Place last = place(z);
    add_suffixes(last);
    add_suffixes(first);
    if (first.block == last.block && w <= z) {
      flow_.results[i] = add(total_at(i), i, scale_);
      return;
    }
    std::vector<int> terms{suffixes_[w]};
    const int64_t at_ends = first.range.end - w + z + 1 - last.range.begin;
    if (at_ends < k_ + 1) {
      std::vector<int> total = total_at(i);
      terms.push_back(total.size() == 1 ? total[0] : add(std::move(total), i));
    }
    terms.push_back(prefix_at(z));
    flow_.results[i] = add(std::move(terms), i, scale_);
  }

  int n_;
  int k_;
  int blocks_;
  float scale_;
  Dataflow flow_;
  std::vector<int> prefixes_; // numbers of P
  std::vector<int> suffixes_; // numbers of S
};

} // namespace

int longest_block(int n, int k) {
  const int blocks = blocks_for(n, k);
  return (n + blocks - 1) / blocks;
}

PlanPtr make_block_scan_plan(int n, int k) {
  GV_CHECK(k >= 2 && k % 2 == 0 && k <= n - 2);
  return std::make_shared<Plan>(
      PlanKind{
          .name = "block-scan",
          .how = fmt::format(
              "prefix and suffix sums along {} blocks of at most {} workers",
              blocks_for(n, k),
              longest_block(n, k)),
          .why = "bandwidth rules for a model of this size",
          .depth = longest_block(n, k)},
      BlockScan(n, k).write());
}

} // namespace grapevine::mix
