#include "mix/plans/group_plan.h"

#include "base/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace grapevine::mix {

namespace {

// The all-gather writes into the plane, so it waits until the reduce-scatter
// has read it.
constexpr int kScatter = 0;
constexpr int kGather = kPostAhead + 1;

float scale_of(size_t members) {
  return static_cast<float>(1.0 / static_cast<double>(members));
}

// Receives the value (or a piece of it) of all others and sums in rank order.
void add_sum(
    Program& program,
    const std::vector<int>& group,
    int me,
    Piece piece) {
  Combine sum{
      .round = kScatter,
      .dst = kResult,
      .terms = {},
      .scale = scale_of(group.size()),
      .piece = piece};
  for (size_t q = 0; q < group.size(); ++q) {
    const bool own = static_cast<int>(q) == me;
    sum.terms.push_back(own ? kValue : program.add_slot());
    if (own) continue;
    program.receives.push_back({kScatter, group[q], sum.terms.back(), piece});
  }
  program.combines.push_back(std::move(sum));
}

void add_reduce_scatter_all_gather(
    Program& program,
    const std::vector<int>& group,
    int me) {
  const int g = static_cast<int>(group.size());
  // Each begins with the member behind itself: everybody receives from
  // somebody else at any time.
  for (int away = 1; away < g; ++away) {
    const int p = (me + away) % g;
    program.sends.push_back({kScatter, group[p], kValue, {p, g}});
  }
  add_sum(program, group, me, {me, g});
  for (int away = 1; away < g; ++away) {
    const int p = (me + away) % g;
    const int q = (me + g - away) % g;
    program.sends.push_back({kGather, group[p], kResult, {me, g}});
    program.receives.push_back({kGather, group[q], kResult, {q, g}});
  }
}

} // namespace

GroupPlan::GroupPlan(int n, std::vector<std::vector<int>> groups)
    : groups_(std::move(groups)),
      group_of_(n, -1) {
  for (size_t g = 0; g < groups_.size(); ++g) {
    for (const int member : groups_[g]) {
      group_of_.at(member) = static_cast<int>(g);
    }
    largest_ = std::max(largest_, static_cast<int>(groups_[g].size()));
  }
  GV_CHECK(std::ranges::find(group_of_, -1) == group_of_.end());
}

std::string GroupPlan::name() const {
  if (largest_ == 1) return "identity";
  return groups_.size() == 1 ? "all-reduce" : "groups";
}

std::string GroupPlan::describe() const {
  if (largest_ == 1) return "identity: nobody talks to anybody";
  return fmt::format(
      "{}: {} in groups of at most {}, {} messages and {:.4g} model copies a "
      "worker",
      name(),
      largest_ == 2 ? "pairs exchange their values"
                    : "reduce-scatter in rank order and all-gather",
      largest_,
      max_messages(),
      max_copies());
}

int GroupPlan::size_of_group(int rank) const {
  return static_cast<int>(groups_[group_of_[rank]].size());
}

Program GroupPlan::program(int rank) const {
  Program program;
  const std::vector<int>& group = groups_[group_of_[rank]];
  const int me =
      static_cast<int>(std::ranges::find(group, rank) - group.begin());
  if (group.size() == 1) return program;
  if (group.size() == 2) {
    program.sends.push_back({0, group[1 - me], kValue});
    add_sum(program, group, me, {});
  } else {
    add_reduce_scatter_all_gather(program, group, me);
  }
  program.sort();
  return program;
}

Dataflow GroupPlan::dataflow() const {
  Dataflow flow(n());
  for (const std::vector<int>& group : groups_)
    add_to(flow, group);
  return flow;
}

void GroupPlan::add_to(Dataflow& flow, const std::vector<int>& group) {
  if (group.size() == 1) return;
  const int mean = flow.add(group, scale_of(group.size()));
  for (const int member : group)
    flow.results[member] = mean;
}

int64_t GroupPlan::chunk_bytes(int64_t plane_bytes, int64_t wanted) const {
  // What travels is a piece of a chunk, and messages far below the wanted
  // size would be mostly latency.
  if (largest_ <= 2) return wanted;
  return std::max(wanted, largest_ * (wanted / 4));
}

int GroupPlan::messages(int rank) const {
  const int g = size_of_group(rank);
  return g == 2 ? 1 : 2 * (g - 1);
}

double GroupPlan::copies(int rank) const {
  const int g = size_of_group(rank);
  return g == 2 ? 1 : 2.0 * (g - 1) / g;
}

std::vector<double> GroupPlan::node_copies(int workers_per_node) const {
  std::vector<double> copies((n() + workers_per_node - 1) / workers_per_node);
  for (const std::vector<int>& group : groups_) {
    // Ascending, so the members of a node stand together.
    for (size_t first = 0; first < group.size();) {
      const int node = group[first] / workers_per_node;
      size_t end = first;
      while (end < group.size() && group[end] / workers_per_node == node)
        ++end;
      const int members = static_cast<int>(end - first);
      copies[node] += sent_by_node(group, members, workers_per_node);
      first = end;
    }
  }
  return copies;
}

double GroupPlan::sent_by_node(
    const std::vector<int>& group,
    int members,
    int workers_per_node) const {
  const int size = static_cast<int>(group.size());
  const double each_to_each = size == 2 ? 1.0 : 2.0 / size;
  return members * (size - members) * each_to_each;
}

std::shared_ptr<const Plan> make_all_reduce_plan(int n) {
  std::vector<int> all(n);
  std::iota(all.begin(), all.end(), 0);
  return std::make_shared<GroupPlan>(
      n,
      std::vector<std::vector<int>>{std::move(all)});
}

} // namespace grapevine::mix
