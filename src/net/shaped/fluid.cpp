#include "net/shaped/fluid.h"

#include <algorithm>
#include <limits>

namespace grapevine::net {
namespace {

// Shares this close are equal: rounding must not cost a pass each.
constexpr double kSameShare = 1e-9;

} // namespace

Fluid::Fluid(int nodes, double rate)
    : nodes_(nodes),
      fair_(std::vector<double>(2 * nodes, rate), kSameShare) {}

void Fluid::share(std::span<Flow> flows) {
  ways_.resize(flows.size());
  shares_.resize(flows.size());
  for (size_t f = 0; f < flows.size(); ++f) {
    ways_[f] = {flows[f].from, nodes_ + flows[f].to};
    shares_[f] = {.resources = ways_[f], .limit = flows[f].limit};
  }
  fair_.share(shares_);
  for (size_t f = 0; f < flows.size(); ++f)
    flows[f].rate = shares_[f].rate;
}

double Fluid::first_drained(std::span<const Flow> flows) {
  double first = std::numeric_limits<double>::infinity();
  for (const Flow& flow : flows)
    first = std::min(first, flow.backlog / flow.rate);
  return first;
}

} // namespace grapevine::net
