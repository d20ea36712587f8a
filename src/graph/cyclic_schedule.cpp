#include "graph/cyclic_schedule.h"

#include "base/check.h"

#include <utility>

namespace grapevine::graph {

CyclicSchedule::CyclicSchedule(std::vector<Mixing> cycle) {
  GV_CHECK(!cycle.empty());
  const int n = cycle.front().n();
  cycle_.reserve(cycle.size());
  for (auto& mixing : cycle) {
    GV_CHECK_EQ(mixing.n(), n);
    cycle_.push_back(std::make_shared<const Mixing>(std::move(mixing)));
  }
}

std::shared_ptr<const Mixing> CyclicSchedule::at(StepTime time) const {
  GV_CHECK_GE(time.step, 0);
  return cycle_[time.step % period()];
}

std::unique_ptr<Schedule> make_static(Mixing mixing) {
  return std::make_unique<CyclicSchedule>(
      std::make_shared<const Mixing>(std::move(mixing)));
}

} // namespace grapevine::graph
