#include "algo/agreement.h"

#include "algo/adapt_then_combine.h"
#include "algo/allreduce.h"
#include "algo/combine_while_adapt.h"
#include "algo/gradient_tracking.h"
#include "algo/push_sum.h"
#include "algo/push_sum_overlapped.h"
#include "base/error.h"
#include "base/names.h"

#include <functional>

namespace grapevine::algo {
namespace {

using Rule = std::shared_ptr<const optim::LocalRule>;

struct Maker {
  AgreementEntry entry;
  std::function<std::unique_ptr<Agreement>(Rule)> make;
};

template <typename T>
std::unique_ptr<Agreement> make(Rule rule) {
  return std::make_unique<T>(std::move(rule));
}

const std::vector<Maker>& makers() {
  static const std::vector<Maker> table = {
      {{"allreduce", "gradients averaged over all workers, then one step"},
       make<Allreduce>},
      {{"adapt-then-combine", "a local step, then parameters averaged"},
       make<AdaptThenCombine>},
      {{"combine-while-adapt",
        "a local step while the parameters are averaged behind it"},
       make<CombineWhileAdapt>},
      {{"push-sum",
        "adapt-then-combine on directed graphs, with weights carried along"},
       make<PushSum>},
      {{"push-sum-overlapped", "push-sum while the next gradient is computed"},
       make<PushSumOverlapped>},
      {{"gradient-tracking",
        "adapt-then-combine with a running estimate of everybody's gradient"},
       make<GradientTracking>},
  };
  return table;
}

} // namespace

std::span<float> plane_of(arena::Arena& arena, Plane plane) {
  switch (plane) {
    case Plane::kParameters:
      return arena.parameters();
    case Plane::kGradients:
      return arena.gradients();
    case Plane::kBuffers:
      return arena.buffers();
    case Plane::kMovingAverage:
      return arena.state(arena.state_planes() - 1);
  }
  return {};
}

const std::vector<AgreementEntry>& agreement_table() {
  static const std::vector<AgreementEntry> table = [] {
    std::vector<AgreementEntry> entries;
    for (const Maker& maker : makers())
      entries.push_back(maker.entry);
    return entries;
  }();
  return table;
}

std::unique_ptr<Agreement> make_agreement(const std::string& name, Rule rule) {
  std::vector<std::string> names;
  for (const Maker& maker : makers()) {
    if (maker.entry.name == name) return maker.make(std::move(rule));
    names.push_back(maker.entry.name);
  }
  throw ConfigError(unknown_name("agreement", name, names));
}

} // namespace grapevine::algo
