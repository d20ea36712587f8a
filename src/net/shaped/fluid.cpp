#include "net/shaped/fluid.h"

#include <algorithm>
#include <limits>

namespace grapevine::net {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// Ways whose shares are this close are full at once: rounding must not cost a
// round each.
constexpr double kSameShare = 1 + 1e-9;

} // namespace

Fluid::Fluid(int nodes, double rate)
    : nodes_(nodes),
      rate_(rate),
      ways_(2 * nodes),
      is_full_(2 * nodes) {}

double Fluid::least_share(std::span<const Flow> flows) const {
  double least = kNever;
  for (const Flow& flow : flows) {
    if (flow.rate < 0) least = std::min(least, flow.limit);
  }
  for (const Way& way : ways_) {
    if (way.flows > 0) least = std::min(least, way.left / way.flows);
  }
  return least;
}

void Fluid::fix(Flow& flow, double rate) {
  flow.rate = rate;
  for (Way* way : {&ways_[flow.from], &ways_[nodes_ + flow.to]}) {
    way->left = std::max(0.0, way->left - rate);
    --way->flows;
  }
}

void Fluid::share(std::span<Flow> flows) {
  std::ranges::fill(ways_, Way{.left = rate_});
  for (Flow& flow : flows) {
    flow.rate = -1; // not fixed yet
    ++ways_[flow.from].flows;
    ++ways_[nodes_ + flow.to].flows;
  }
  for (size_t fixed = 0; fixed < flows.size();) {
    const double share = least_share(flows);
    const double full = share * kSameShare;
    // Who is in a full way must be known before any of them is taken out.
    for (size_t w = 0; w < ways_.size(); ++w) {
      const Way& way = ways_[w];
      is_full_[w] = way.flows > 0 && way.left / way.flows <= full;
    }
    for (Flow& flow : flows) {
      if (flow.rate >= 0) continue;
      const bool is_limited = is_full_[flow.from] ||
                              is_full_[nodes_ + flow.to] || flow.limit <= full;
      if (!is_limited) continue;
      fix(flow, share);
      ++fixed;
    }
  }
}

double Fluid::first_drained(std::span<const Flow> flows) {
  double first = kNever;
  for (const Flow& flow : flows)
    first = std::min(first, flow.backlog / flow.rate);
  return first;
}

} // namespace grapevine::net
