#include "graph/butterfly.h"

#include "base/check.h"

#include <algorithm>
#include <utility>

namespace grapevine::graph {
namespace {

constexpr int kLargestGroup = 3;

using Groups = std::vector<std::vector<int>>;

struct Block {
  int begin;
  int size;
};

// The first parts are the longer ones, so the first block of a level is the
// largest and the last one the smallest.
int parts_of_level(const std::vector<Block>& blocks) {
  const int size = blocks.front().size;
  const bool equal = blocks.back().size == size;
  return equal && size % 2 == 1 && size % 3 == 0 ? 3 : 2;
}

std::vector<Block> cut(Block block, int parts) {
  std::vector<Block> list;
  int begin = block.begin;
  for (int p = 0; p < parts; ++p) {
    const int size = block.size / parts + (p < block.size % parts ? 1 : 0);
    list.push_back({begin, size});
    begin += size;
  }
  return list;
}

// The i-th items of all parts are a group; the first part may have one more.
void add_groups(Groups& groups, const std::vector<Block>& parts) {
  for (int i = 0; i < parts.back().size; ++i) {
    std::vector<int> group;
    for (const Block& part : parts)
      group.push_back(part.begin + i);
    groups.push_back(std::move(group));
  }
  if (parts.front().size == parts.back().size) return;
  groups.back().push_back(parts.front().begin + parts.front().size - 1);
  std::ranges::sort(groups.back());
}

Groups inside(const std::vector<Block>& blocks) {
  Groups groups;
  for (const Block& block : blocks) {
    std::vector<int> group(block.size);
    for (int i = 0; i < block.size; ++i)
      group[i] = block.begin + i;
    groups.push_back(std::move(group));
  }
  return groups;
}

} // namespace

std::vector<Groups> butterfly_rounds(int m) {
  GV_CHECK_GE(m, 1);
  std::vector<Groups> rounds;
  std::vector<Block> blocks = {{0, m}};
  while (blocks.front().size > kLargestGroup) {
    const int parts = parts_of_level(blocks);
    std::vector<Block> smaller;
    Groups groups;
    for (const Block& block : blocks) {
      const std::vector<Block> pieces = cut(block, parts);
      add_groups(groups, pieces);
      smaller.insert(smaller.end(), pieces.begin(), pieces.end());
    }
    rounds.push_back(std::move(groups));
    blocks = std::move(smaller);
  }
  rounds.push_back(inside(blocks));
  std::ranges::reverse(rounds);
  return rounds;
}

} // namespace grapevine::graph
