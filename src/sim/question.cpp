#include "sim/question.h"

#include "sim/network.h"

#include <algorithm>

namespace grapevine::sim {

int Question::workers_per_node_in(int n) const {
  if (workers_per_node > 0) return std::min(workers_per_node, n);
  return std::min(n, sim::default_workers_per_node(costs, n, link.has_value()));
}

int Question::told_workers_per_node(int n) const {
  const int workers = workers_per_node_in(n);
  return workers < n ? workers : 1;
}

sim::Costs Question::costs_with_link() const {
  return link ? sim::with_link(costs, *link) : costs;
}

sim::Costs Question::as_used(sim::Costs given) const {
  return packing ? sim::with_packing(std::move(given)) : given;
}

} // namespace grapevine::sim
