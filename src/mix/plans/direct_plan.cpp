// Every worker sends its value to all who need it.
//
//   x_i <- (sum of the row's values, in row order) / (d+1)    uniform rows
//   x_i <- sum of W_ij x_j, in row order                      others
//
// d messages and d planes for a worker in d rows; one round. Right for few
// neighbours and for any matrix without a form of its own.
#include "mix/plans/plans.h"

#include <fmt/format.h>

#include <algorithm>

namespace grapevine::mix {
namespace {

Dataflow::Node sum_of(const std::vector<graph::Term>& row, int owner) {
  Dataflow::Node sum{.terms = {}, .owners = {owner}};
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

PlanPtr make_direct_plan(const graph::Mixing& mixing) {
  Dataflow flow(mixing.n());
  for (int i = 0; i < mixing.n(); ++i) {
    Dataflow::Node sum = sum_of(mixing.row(i), i);
    if (sum.terms == std::vector<int>{i}) continue;
    flow.results[i] = flow.add(std::move(sum));
  }
  return std::make_shared<Plan>(
      PlanKind{
          .name = "direct",
          .how = fmt::format(
              "every value goes to each of its {} receivers",
              mixing.degree())},
      std::move(flow));
}

} // namespace grapevine::mix
