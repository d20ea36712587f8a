#include "mix/plan.h"
#include "mix/plans/block_scan_plan.h"
#include "mix/plans/cost.h"
#include "mix/plans/direct_plan.h"
#include "mix/plans/doubling_plan.h"
#include "mix/plans/group_plan.h"
#include "mix/plans/node_plan.h"

#include <numeric>
#include <utility>
#include <vector>

namespace grapevine::mix {

namespace {

std::shared_ptr<const Plan> make_identity_plan(int n) {
  std::vector<std::vector<int>> alone(n);
  for (int i = 0; i < n; ++i)
    alone[i] = {i};
  return std::make_shared<GroupPlan>(n, std::move(alone));
}

// The cheapest of the three ways to a window sum; the simpler one of equals.
std::shared_ptr<const Plan> make_lattice_plan(
    const graph::Mixing& mixing,
    int64_t bytes) {
  const int n = mixing.n();
  const int k = mixing.k();
  if (k == 0) return make_identity_plan(n);
  const double direct = transfer_seconds(k, bytes);
  const double doubling =
      transfer_seconds(DoublingPlan::message_bound(k), bytes);
  const double scan =
      pipeline_seconds(4, BlockScanPlan::longest_block(n, k), bytes);
  if (direct <= doubling && direct <= scan) {
    return std::make_shared<DirectPlan>(mixing);
  }
  if (doubling <= scan) return std::make_shared<DoublingPlan>(n, k);
  return std::make_shared<BlockScanPlan>(n, k);
}

std::shared_ptr<const Plan> make_group_plan(
    int n,
    std::vector<std::vector<int>> groups,
    int workers_per_node) {
  if (NodePlan::applies(groups, workers_per_node)) {
    return std::make_shared<NodePlan>(n, std::move(groups), workers_per_node);
  }
  return std::make_shared<GroupPlan>(n, std::move(groups));
}

std::vector<int> everybody(int n) {
  std::vector<int> all(n);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

} // namespace

std::shared_ptr<const Plan> make_plan(
    const graph::Mixing& mixing,
    int64_t model_bytes,
    int workers_per_node) {
  using Form = graph::Mixing::Form;
  const int n = mixing.n();
  switch (mixing.form()) {
    case Form::kComplete:
      return make_group_plan(n, {everybody(n)}, workers_per_node);
    case Form::kGroups:
      return make_group_plan(n, mixing.group_list(), workers_per_node);
    case Form::kLattice:
      return make_lattice_plan(mixing, model_bytes);
    case Form::kSparse:
      break;
  }
  return std::make_shared<DirectPlan>(mixing);
}

} // namespace grapevine::mix
