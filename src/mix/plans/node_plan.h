// Group averages of whole nodes, by node: what one node knows already does not
// travel to another one twice.
//
//   x_i <- (S_0 + S_1 + ... + S_{m-1}) / (m L)       S_a: sum over node a
//
// for a group of m >= 2 whole nodes of L >= 2 workers; each S in rank order,
// the nodes in order. With P the bytes of a plane:
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
// Other groups (parts of nodes, single nodes, more than kMostNodes of them) go
// as in a GroupPlan.
#pragma once

#include "graph/mixing.h"
#include "mix/plans/group_plan.h"

#include <vector>

namespace grapevine::mix {

class NodePlan : public GroupPlan {
 public:
  // Two workers of a node say 2 m things to each other, each with its own tag.
  static constexpr int kMostNodes = 400;

  // Node a is workers a L .. a L + L - 1. `groups` as for GroupPlan.
  NodePlan(int n, std::vector<std::vector<int>> groups, int workers_per_node);

  // Whether this plan differs from a GroupPlan: a group goes by nodes.
  static bool applies(
      const std::vector<std::vector<int>>& groups,
      int workers_per_node);

  std::string name() const override;
  std::string describe() const override;
  Program program(int rank) const override;
  Dataflow dataflow() const override;
  int64_t chunk_bytes(int64_t plane_bytes, int64_t wanted) const override;
  int messages(int rank) const override;
  double copies(int rank) const override;

 private:
  double sent_by_node(
      const std::vector<int>& group,
      int members,
      int workers_per_node) const override;

  int per_node_;
  int most_pieces_ = 1; // of the finest cut
};

} // namespace grapevine::mix
