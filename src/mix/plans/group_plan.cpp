// Uniform averages inside the groups of a partition.
//
//   x_i <- (sum over the group of i, in rank order) / g
//
// A pair exchanges its values: 1 message, 1 plane. A larger group cuts the
// plane into g pieces; member p sums the p-th pieces of all in rank order
// (reduce-scatter) and sends the result to all (all-gather): 2(g-1) messages,
// 2(g-1)/g planes, as few bytes as a ring all-reduce moves, and the same bits
// on every member. A group of one does nothing. One group of all workers is
// the all-reduce.
//
// A group of m >= 2 whole nodes of L >= 2 workers is averaged by nodes, so that
// what one node knows does not travel to another one twice:
//
//   x_i <- (S_0 + S_1 + ... + S_{m-1}) / (m L)       S_a: sum over node a
//
// each S in rank order, the nodes in order. With P the bytes of a plane:
//
//   1. Inside each node a reduce-scatter: worker l gets the l-th piece of S_a.
//   2. Across: worker l of each node with its counterparts. Two nodes exchange
//      their pieces. More of them reduce-scatter and all-gather, on a further
//      cut of the piece into m.
//   3. Inside each node an all-gather.
//
// A worker sends 2(L-1)/L P inside and, across, P/L (m = 2) or 2(m-1)/(m L) P:
// in all as much as a flat group average of m L workers does, but from node to
// node only P (m = 2) or 2(m-1)/m P instead of L times as much. Messages:
// 2(L-1) + 1, or 2(L-1) m + 2(m-1).
//
// Other groups (parts of nodes, single nodes, more than kMostNodes of them)
// are averaged as one.
#include "base/check.h"
#include "mix/link.h"
#include "mix/plans/plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace grapevine::mix {
namespace {

using Group = std::vector<int>;

static_assert(2 * kMostNodes <= kLastMixTag - kFirstMixTag + 1);

float scale_of(const Group& group) {
  return static_cast<float>(1.0 / static_cast<double>(group.size()));
}

// Nodes of a group that is averaged by nodes; 0 for any other.
int whole_nodes(const Group& group, int per_node) {
  const int size = static_cast<int>(group.size());
  if (per_node < 2 || size % per_node != 0) return 0;
  const int nodes = size / per_node;
  if (nodes < 2 || nodes > kMostNodes) return 0;
  for (int i = 0; i < size; i += per_node) {
    // Ascending, so first and last tell that all between them are there.
    const bool whole = group[i] % per_node == 0 &&
                       group[i + per_node - 1] == group[i] + per_node - 1;
    if (!whole) return 0;
  }
  return nodes;
}

void add_mean(Dataflow& flow, const Group& group) {
  if (group.size() == 1) return;
  const int mean = flow.add(
      {.terms = group,
       .owners = group,
       .is_split = group.size() > 2,
       .scale = scale_of(group)});
  for (const int member : group)
    flow.results[member] = mean;
}

// Each worker of a node has `parts` pieces of the node's sum, one after the
// other: one for two nodes, else one for each node.
void add_mean_by_nodes(Dataflow& flow, const Group& group, int per_node) {
  const int nodes = static_cast<int>(group.size()) / per_node;
  const int parts = nodes == 2 ? 1 : nodes;
  const auto worker = [&](int node, int local) {
    return group[node * per_node + local];
  };
  const auto for_each_piece = [&](const auto& owner_of) {
    std::vector<int> owners;
    for (int local = 0; local < per_node; ++local) {
      for (int part = 0; part < parts; ++part)
        owners.push_back(owner_of(local, part));
    }
    return owners;
  };
  const auto inside = [&](int node) {
    return for_each_piece([&](int local, int) { return worker(node, local); });
  };
  std::vector<int> sums;
  for (int node = 0; node < nodes; ++node) {
    const auto first = group.begin() + node * per_node;
    sums.push_back(flow.add(
        {.terms = {first, first + per_node},
         .owners = inside(node),
         .is_split = true}));
  }
  const auto add_sum = [&](std::vector<int> owners) {
    return flow.add(
        {.terms = sums,
         .owners = std::move(owners),
         .is_split = true,
         .scale = scale_of(group)});
  };
  // Of more than two nodes, a worker finishes the part that has its node's
  // number and passes on those of its counterparts.
  int mean = -1;
  if (nodes > 2) {
    mean = add_sum(for_each_piece(
        [&](int local, int part) { return worker(part, local); }));
  }
  for (int node = 0; node < nodes; ++node) {
    const int of_node =
        nodes == 2
            ? add_sum(inside(node))
            : flow.add(
                  {.terms = {mean}, .owners = inside(node), .is_split = true});
    for (int local = 0; local < per_node; ++local)
      flow.results[worker(node, local)] = of_node;
  }
}

PlanKind
kind_of(const std::vector<Group>& groups, size_t largest, int per_node) {
  const bool is_one = groups.size() == 1;
  if (per_node > 1) {
    return {
        .name = is_one ? "node-all-reduce" : "node-groups",
        .how = fmt::format(
            "sums inside nodes of {}, then between the nodes of a group",
            per_node),
        .workers_per_node = per_node};
  }
  if (largest == 1) return {.name = "identity", .how = "no worker sends"};
  return {
      .name = is_one ? "all-reduce" : "groups",
      .how = fmt::format(
          "{} in groups of at most {}",
          largest == 2 ? "pairs exchange their values"
                       : "reduce-scatter in rank order and all-gather",
          largest)};
}

} // namespace

PlanPtr
make_group_plan(int n, const std::vector<Group>& groups, int workers_per_node) {
  Dataflow flow(n);
  size_t members = 0;
  size_t largest = 1;
  bool by_nodes = false;
  for (const Group& group : groups) {
    members += group.size();
    largest = std::max(largest, group.size());
    if (whole_nodes(group, workers_per_node) > 0) {
      by_nodes = true;
      add_mean_by_nodes(flow, group, workers_per_node);
    } else {
      add_mean(flow, group);
    }
  }
  GV_CHECK_EQ(members, static_cast<size_t>(n));
  return std::make_shared<Plan>(
      kind_of(groups, largest, by_nodes ? workers_per_node : 1),
      std::move(flow));
}

PlanPtr make_all_reduce_plan(int n, int workers_per_node) {
  Group all(n);
  std::iota(all.begin(), all.end(), 0);
  return make_group_plan(n, {std::move(all)}, workers_per_node);
}

} // namespace grapevine::mix
