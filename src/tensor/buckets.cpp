#include "tensor/buckets.h"

#include "base/check.h"

#include <algorithm>
#include <numeric>

namespace grapevine::tensor {
namespace {

int64_t block_count(const Layout& layout) {
  return (layout.size() + kBlock - 1) / kBlock;
}

Range block_range(const Layout& layout, int64_t block) {
  return {block * kBlock, std::min((block + 1) * kBlock, layout.size())};
}

// When each block is final: the place in the order of the last of its tensors.
std::vector<int> final_times(const Layout& layout, std::span<const int> order) {
  std::vector<int> times(block_count(layout), 0);
  for (size_t place = 0; place < order.size(); ++place) {
    const Range range = layout.tensors().at(order[place]).range();
    if (range.size() == 0) continue;
    const int64_t last = (range.end - 1) / kBlock;
    for (int64_t block = range.begin / kBlock; block <= last; ++block) {
      times[block] = static_cast<int>(place);
    }
  }
  return times;
}

std::vector<Range> merged(const Layout& layout, std::vector<int64_t> blocks) {
  std::ranges::sort(blocks);
  std::vector<Range> ranges;
  for (const int64_t block : blocks) {
    const Range range = block_range(layout, block);
    if (!ranges.empty() && ranges.back().end == range.begin) {
      ranges.back().end = range.end;
    } else {
      ranges.push_back(range);
    }
  }
  return ranges;
}

} // namespace

Buckets Buckets::whole(const Layout& layout) {
  Buckets buckets;
  buckets.ranges_ = {{{0, layout.size()}}};
  buckets.find_tensors(layout);
  return buckets;
}

Buckets::Buckets(
    const Layout& layout,
    std::span<const int> order,
    int64_t bytes) {
  GV_CHECK_EQ(order.size(), layout.tensors().size());
  const std::vector<int> times = final_times(layout, order);
  std::vector<int64_t> blocks(times.size());
  std::iota(blocks.begin(), blocks.end(), 0);
  // Of blocks that are final at once, the ones behind first: backward goes
  // backward, so that is what lies next to the blocks before.
  std::ranges::sort(blocks, [&](int64_t a, int64_t b) {
    return times[a] != times[b] ? times[a] < times[b] : a > b;
  });
  const auto most = static_cast<size_t>(std::max<int64_t>(
      1,
      bytes / (kBlock * static_cast<int64_t>(sizeof(float)))));
  for (size_t at = 0; at < blocks.size(); at += most) {
    const auto first = blocks.begin() + static_cast<int64_t>(at);
    const auto last = blocks.begin() +
                      static_cast<int64_t>(std::min(at + most, blocks.size()));
    ranges_.push_back(merged(layout, {first, last}));
  }
  find_tensors(layout);
}

void Buckets::find_tensors(const Layout& layout) {
  tensors_.resize(ranges_.size());
  buckets_of_.resize(layout.tensors().size());
  for (size_t bucket = 0; bucket < ranges_.size(); ++bucket) {
    for (size_t t = 0; t < layout.tensors().size(); ++t) {
      const Range tensor = layout.tensors()[t].range();
      const auto touches = [&](const Range& range) {
        return tensor.begin < range.end && range.begin < tensor.end;
      };
      if (!std::ranges::any_of(ranges_[bucket], touches)) continue;
      tensors_[bucket].push_back(static_cast<int>(t));
      buckets_of_[t].push_back(static_cast<int>(bucket));
    }
  }
}

int64_t Buckets::elements(int bucket) const {
  int64_t sum = 0;
  for (const Range& range : ranges_[bucket])
    sum += range.size();
  return sum;
}

} // namespace grapevine::tensor
