#include "mix/plans/direct_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace grapevine::mix {

namespace {

// How a row is summed: terms as numbers of whatever kind, weights or a scale.
struct Sum {
  std::vector<int> terms;
  std::vector<float> weights;
  float scale = 1;
};

Sum sum_of(const std::vector<graph::Term>& row) {
  Sum sum;
  // Decided row by row: a row of equal weights is summed first and scaled
  // once, which is one rounding less for each term.
  const bool uniform = std::ranges::all_of(row, [&](const graph::Term& t) {
    return t.weight == row[0].weight;
  });
  if (uniform) sum.scale = static_cast<float>(1.0 / row.size());
  for (const graph::Term& term : row) {
    sum.terms.push_back(term.rank);
    if (!uniform) sum.weights.push_back(static_cast<float>(term.weight));
  }
  return sum;
}

} // namespace

DirectPlan::DirectPlan(graph::Mixing mixing) : mixing_(std::move(mixing)) {}

std::string DirectPlan::describe() const {
  return fmt::format(
      "direct: every value goes to each of its {} receivers, {} messages and "
      "{} model copies a worker",
      mixing_.degree(),
      max_messages(),
      max_copies());
}

Program DirectPlan::program(int rank) const {
  Program program;
  // Beginning behind oneself, so that not all workers send to rank 0 first.
  std::vector<int> peers = mixing_.receivers(rank);
  std::rotate(
      peers.begin(),
      std::upper_bound(peers.begin(), peers.end(), rank),
      peers.end());
  for (const int peer : peers)
    program.sends.push_back({0, peer, kValue});

  Sum sum = sum_of(mixing_.row(rank));
  if (sum.terms == std::vector<int>{rank}) return program;
  for (int& term : sum.terms) {
    const int peer = std::exchange(term, kValue);
    if (peer == rank) continue;
    term = program.add_slot();
    program.receives.push_back({0, peer, term});
  }
  program.combines.push_back(
      {.round = 0,
       .dst = kResult,
       .terms = std::move(sum.terms),
       .weights = std::move(sum.weights),
       .scale = sum.scale});
  return program;
}

Dataflow DirectPlan::dataflow() const {
  Dataflow flow(n());
  for (int i = 0; i < n(); ++i) {
    Sum sum = sum_of(mixing_.row(i));
    if (sum.terms == std::vector<int>{i}) continue;
    flow.results[i] =
        flow.add(std::move(sum.terms), sum.scale, std::move(sum.weights));
  }
  return flow;
}

int DirectPlan::messages(int rank) const {
  return static_cast<int>(mixing_.receivers(rank).size());
}

double DirectPlan::copies(int rank) const {
  return messages(rank);
}

} // namespace grapevine::mix
