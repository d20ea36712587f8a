// Uniform averages inside the groups of a partition.
//
//   x_i <- (sum over the group of i, in rank order) / g
//
// A pair exchanges its values: 1 message, 1 plane. A larger group cuts the
// plane into g pieces; member p sums the p-th pieces of all in rank order
// (reduce-scatter) and sends the result to all (all-gather): 2(g-1) messages,
// 2(g-1)/g planes, as few bytes as a ring all-reduce moves, and the same bits
// on every member. A group of one does nothing.
//
// One group of everybody is the all-reduce.
#pragma once

#include "mix/plan.h"

#include <vector>

namespace grapevine::mix {

class GroupPlan : public Plan {
 public:
  // `groups` is a partition of 0..n-1, each group ascending.
  GroupPlan(int n, std::vector<std::vector<int>> groups);

  std::string name() const override;
  std::string describe() const override;
  int n() const override { return static_cast<int>(group_of_.size()); }
  Program program(int rank) const override;
  Dataflow dataflow() const override;
  int64_t chunk_bytes(int64_t plane_bytes, int64_t wanted) const override;
  int messages(int rank) const override;
  double copies(int rank) const override;
  std::vector<double> node_copies(int workers_per_node) const override;

 protected:
  const std::vector<std::vector<int>>& groups() const { return groups_; }
  const std::vector<int>& group_of(int rank) const {
    return groups_[group_of_[rank]];
  }
  // The mean of a group, for its members.
  static void add_to(Dataflow& flow, const std::vector<int>& group);
  // In planes, what the `members` of a group that share a node send to its
  // other members.
  virtual double sent_by_node(
      const std::vector<int>& group,
      int members,
      int workers_per_node) const;

 private:
  int size_of_group(int rank) const;

  std::vector<std::vector<int>> groups_;
  std::vector<int> group_of_;
  int largest_ = 1;
};

// Everybody's mean on everybody.
std::shared_ptr<const Plan> make_all_reduce_plan(int n);

} // namespace grapevine::mix
