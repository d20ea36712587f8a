#include "base/max_min_fair.h"

#include <algorithm>
#include <cmath>

namespace grapevine {

MaxMinFair::MaxMinFair(std::vector<double> capacities, double tolerance)
    : tolerance_(tolerance) {
  for (const double capacity : capacities)
    resources_.push_back({.capacity = capacity});
}

void MaxMinFair::start(std::span<const Flow> flows) {
  used_.clear();
  open_.clear();
  for (size_t f = 0; f < flows.size(); ++f) {
    open_.push_back(static_cast<int>(f));
    for (const int id : flows[f].resources) {
      Resource& resource = resources_[id];
      if (std::isinf(resource.capacity)) continue; // never full
      if (resource.flows++ > 0) continue;
      resource.left = resource.capacity;
      used_.push_back(id);
    }
  }
  std::ranges::sort(used_);
}

double MaxMinFair::grow(std::span<const Flow> flows) {
  double rate = std::numeric_limits<double>::infinity();
  int fullest = -1;
  for (const int id : used_) {
    const Resource& resource = resources_[id];
    if (resource.flows == 0 || resource.part() >= rate) continue;
    rate = resource.part();
    fullest = id;
  }
  for (const int f : open_)
    rate = std::min(rate, flows[f].limit);
  // Known of all before a flow is settled, which takes from what is left.
  const double full = rate * (1 + tolerance_);
  for (const int id : used_) {
    Resource& resource = resources_[id];
    resource.is_full =
        resource.flows > 0 &&
        (resource.part() < full || (id == fullest && resource.part() <= full));
  }
  return rate;
}

bool MaxMinFair::stops(const Flow& flow, double rate) const {
  return flow.limit <= rate * (1 + tolerance_) ||
         std::ranges::any_of(flow.resources, [&](int id) {
           return resources_[id].is_full;
         });
}

void MaxMinFair::share(std::span<Flow> flows) {
  start(flows);
  while (!open_.empty()) {
    const double rate = grow(flows);
    std::erase_if(open_, [&](int f) {
      Flow& flow = flows[f];
      if (!stops(flow, rate)) return false;
      flow.rate = rate;
      for (const int id : flow.resources) {
        Resource& resource = resources_[id];
        if (std::isinf(resource.capacity)) continue;
        resource.left = std::max(0.0, resource.left - rate);
        --resource.flows;
      }
      return true;
    });
  }
  for (const int id : used_)
    resources_[id].is_full = false;
}

} // namespace grapevine
