// A schedule that is a list of mixings, repeated. A static graph is the list
// of one.
#pragma once

#include "graph/schedule.h"

#include <memory>
#include <utility>
#include <vector>

namespace grapevine::graph {

// Immutable after construction, so at() needs no lock.
class CyclicSchedule : public Schedule {
 public:
  // At least one mixing, all of the same n.
  explicit CyclicSchedule(std::vector<Mixing> cycle);
  // One mixing, always.
  explicit CyclicSchedule(std::shared_ptr<const Mixing> mixing)
      : cycle_{std::move(mixing)} {}

  std::shared_ptr<const Mixing> at(StepTime time) const override;
  int period() const override { return static_cast<int>(cycle_.size()); }
  int n() const override { return cycle_.front()->n(); }

 private:
  std::vector<std::shared_ptr<const Mixing>> cycle_;
};

std::unique_ptr<Schedule> make_static(Mixing mixing);

} // namespace grapevine::graph
