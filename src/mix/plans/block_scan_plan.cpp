#include "mix/plans/block_scan_plan.h"

#include "base/check.h"
#include "mix/plans/cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace grapevine::mix {

namespace {

constexpr int kMostCopies = 4;

int blocks_for(int n, int k) {
  return (n + k) / (k + 1);
}

} // namespace

BlockScanPlan::BlockScanPlan(int n, int k)
    : n_(n),
      k_(k),
      blocks_(blocks_for(n, k)),
      scale_(static_cast<float>(1.0 / (k + 1))) {
  GV_CHECK(k >= 2 && k % 2 == 0 && k <= n - 2);
}

int BlockScanPlan::longest_block(int n, int k) {
  const int blocks = blocks_for(n, k);
  return (n + blocks - 1) / blocks;
}

std::string BlockScanPlan::describe() const {
  return fmt::format(
      "block-scan: prefix and suffix sums along {} blocks of at most {} "
      "workers, {} messages and {} model copies a worker; bandwidth rules for "
      "a model of this size",
      blocks_,
      longest_block(n_, k_),
      max_messages(),
      max_copies());
}

int64_t BlockScanPlan::chunk_bytes(int64_t plane_bytes, int64_t wanted) const {
  // Filling the pipeline takes as many chunks' time as a block is long.
  const int depth = longest_block(n_, k_);
  return std::min(wanted, pipeline_chunk(kMostCopies, depth, plane_bytes));
}

BlockScanPlan::Place BlockScanPlan::place(int rank) const {
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
      .position = rank - static_cast<int>(range.begin),
      .length = static_cast<int>(range.size()),
      .first = static_cast<int>(range.begin)};
}

// At most one whole block lies between the ends, and it holds the owner. Let
// B be the number of blocks, the least with B m >= n, so n > (B-1) m; the
// shortest block has at least floor(n/B) >= floor(((B-1) m + 1) / B) workers,
// which for B >= 2 is at least (m+1)/2 = k/2 + 1. Two such blocks and a worker
// at each end would be k + 4 > m workers. With one such block, k/2 - 1 workers
// at most remain for each end, and the owner has k/2 on each side of it.
BlockScanPlan::Window BlockScanPlan::window(int owner) const {
  Window window{
      .first = wrap(owner - k_ / 2),
      .last = wrap(owner + k_ / 2),
      .one_block = false,
      .has_total = false};
  const Place first = place(window.first);
  const Place last = place(window.last);
  const int at_ends = first.length - first.position + last.position + 1;
  if (first.block == last.block && first.position <= last.position) {
    window.one_block = true;
  } else {
    window.has_total = at_ends < k_ + 1;
  }
  return window;
}

Program BlockScanPlan::program(int rank) const {
  Program program;
  const Place here = place(rank);
  const Window mine = window(rank);

  // The owners whose windows begin and end here, who want S and P.
  const int begins_here = wrap(rank + k_ / 2);
  const int ends_here = wrap(rank - k_ / 2);
  const bool suffix_wanted = !window(begins_here).one_block;
  const bool prefix_wanted = !window(ends_here).one_block;

  // P along the block.
  int prefix = kValue;
  if (!here.at_start()) {
    const int round = here.prefix_round() - 1;
    const int left = program.add_slot();
    program.receives.push_back({round, rank - 1, left});
    prefix = program.add_slot();
    program.combines.push_back(
        {.round = round, .dst = prefix, .terms = {left, kValue}});
  }
  if (!here.at_end()) {
    program.sends.push_back({here.prefix_round(), rank + 1, prefix});
  }

  // S along the block.
  int suffix = kValue;
  int right = -1; // the slot of S(i+1)
  if (!here.at_end()) {
    const int round = here.suffix_round() - 1;
    right = program.add_slot();
    program.receives.push_back({round, rank + 1, right});
    if (!here.at_start() || suffix_wanted) {
      suffix = program.add_slot();
      program.combines.push_back(
          {.round = round, .dst = suffix, .terms = {kValue, right}});
    }
  }
  if (!here.at_start()) {
    program.sends.push_back({here.suffix_round(), rank - 1, suffix});
  }

  if (suffix_wanted) {
    program.sends.push_back({here.suffix_round(), begins_here, suffix});
  }
  if (prefix_wanted) {
    program.sends.push_back({here.prefix_round(), ends_here, prefix});
  }

  // The own window, complete when the last of its parts is there. Its round
  // is never before that of the chains, which read the value.
  const int chains = std::max({here.position - 1, here.suffix_round() - 1, 0});
  std::vector<int> total{prefix};
  if (right >= 0) total.push_back(right);
  Combine result{
      .round = chains,
      .dst = kResult,
      .terms = total,
      .scale = scale_};
  if (!mine.one_block) {
    const int first_round = place(mine.first).suffix_round();
    const int last_round = place(mine.last).prefix_round();
    const int first = program.add_slot();
    const int last = program.add_slot();
    program.receives.push_back({first_round, mine.first, first});
    program.receives.push_back({last_round, mine.last, last});
    result.terms = {first, last};
    result.round = std::max({chains, first_round, last_round});
    if (mine.has_total) {
      int between = prefix;
      if (total.size() > 1) {
        between = program.add_slot();
        program.combines.push_back(
            {.round = chains, .dst = between, .terms = total});
      }
      result.terms = {first, between, last};
    }
  }
  program.combines.push_back(std::move(result));
  program.sort();
  return program;
}

// Around the ring once, window by window. The suffixes of a block are made
// when the windows' ends reach it, prefixes as they are needed: a worker's
// value is read for the last time before its own window is written.
Dataflow BlockScanPlan::dataflow() const {
  Dataflow flow(n_);
  std::vector<int> prefixes(n_, -1);
  std::vector<int> suffixes(n_, -1);
  const auto add_suffixes = [&](const Place& at) {
    if (suffixes[at.first] >= 0) return;
    const int end = at.first + at.length - 1;
    suffixes[end] = end;
    for (int i = end - 1; i >= at.first; --i) {
      suffixes[i] = flow.add({i, suffixes[i + 1]});
    }
  };
  const auto prefix_at = [&](int rank) {
    int begin = rank;
    while (prefixes[begin] < 0 && !place(begin).at_start())
      --begin;
    if (prefixes[begin] < 0) prefixes[begin] = begin;
    for (int i = begin + 1; i <= rank; ++i) {
      prefixes[i] = flow.add({prefixes[i - 1], i});
    }
    return prefixes[rank];
  };
  for (int i = 0; i < n_; ++i) {
    const Window mine = window(i);
    add_suffixes(place(mine.last));
    add_suffixes(place(mine.first));
    std::vector<int> total;
    if (mine.one_block || mine.has_total) {
      add_suffixes(place(i));
      total.push_back(prefix_at(i));
      if (!place(i).at_end()) total.push_back(suffixes[i + 1]);
    }
    if (mine.one_block) {
      flow.results[i] = flow.add(std::move(total), scale_);
      continue;
    }
    std::vector<int> terms{suffixes[mine.first]};
    if (mine.has_total) {
      terms.push_back(total.size() == 1 ? total[0] : flow.add(total));
    }
    terms.push_back(prefix_at(mine.last));
    flow.results[i] = flow.add(std::move(terms), scale_);
  }
  return flow;
}

} // namespace grapevine::mix
