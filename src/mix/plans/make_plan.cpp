#include "mix/plans/plans.h"

#include <algorithm>
#include <cmath>

namespace grapevine::mix {
namespace {

PlanPtr make_identity_plan(int n) {
  std::vector<std::vector<int>> alone(n);
  for (int i = 0; i < n; ++i)
    alone[i] = {i};
  return make_group_plan(n, alone);
}

// The cheapest of the three ways to a window sum; the simpler one of equals.
PlanPtr make_lattice_plan(const graph::Mixing& mixing, int64_t bytes) {
  const int n = mixing.n();
  const int k = mixing.k();
  if (k == 0) return make_identity_plan(n);
  const double direct = transfer_seconds(k, bytes);
  const double doubling = transfer_seconds(doubling_messages(k), bytes);
  const double scan =
      pipeline_seconds(kMostScanCopies, longest_block(n, k), bytes);
  if (direct <= doubling && direct <= scan) return make_direct_plan(mixing);
  if (doubling <= scan) return make_doubling_plan(n, k);
  return make_block_scan_plan(n, k);
}

} // namespace

double transfer_seconds(double messages, int64_t bytes) {
  return messages * (kLatency + static_cast<double>(bytes) / kBandwidth);
}

int64_t pipeline_chunk(double copies, int depth, int64_t bytes) {
  const double best = std::sqrt(
      static_cast<double>(bytes) * kLatency * kBandwidth /
      (copies * std::max(1, depth)));
  const int64_t most = std::max(bytes, kLeastChunk);
  return std::clamp(static_cast<int64_t>(best), kLeastChunk, most);
}

double pipeline_seconds(double copies, int depth, int64_t bytes) {
  const auto chunk = static_cast<double>(pipeline_chunk(copies, depth, bytes));
  const double chunks = std::max(1.0, static_cast<double>(bytes) / chunk);
  return (chunks + depth) * (kLatency + copies * chunk / kBandwidth);
}

PlanPtr make_plan(
    const graph::Mixing& mixing,
    int64_t model_bytes,
    int workers_per_node) {
  using Form = graph::Mixing::Form;
  const int n = mixing.n();
  switch (mixing.form()) {
    case Form::kComplete:
      return make_all_reduce_plan(n, workers_per_node);
    case Form::kGroups:
      return make_group_plan(n, mixing.group_list(), workers_per_node);
    case Form::kLattice:
      return make_lattice_plan(mixing, model_bytes);
    case Form::kSparse:
      break;
  }
  return make_direct_plan(mixing);
}

} // namespace grapevine::mix
