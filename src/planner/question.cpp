#include "planner/question.h"

#include "runtime/network.h"

#include <algorithm>

namespace grapevine::planner {

int Question::workers_per_node_in(int n) const {
  if (workers_per_node > 0) return std::min(workers_per_node, n);
  return std::min(
      n,
      runtime::default_workers_per_node(costs, n, link.has_value()));
}

int Question::told_workers_per_node(int n) const {
  const int workers = workers_per_node_in(n);
  return workers < n ? workers : 1;
}

runtime::Costs Question::costs_with_link() const {
  return link ? runtime::with_link(costs, *link) : costs;
}

runtime::Costs Question::as_used(runtime::Costs given) const {
  return packing ? runtime::with_packing(std::move(given)) : given;
}

} // namespace grapevine::planner
