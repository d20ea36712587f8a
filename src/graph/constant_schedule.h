// A schedule that always returns one mixing.
#pragma once

#include "graph/schedule.h"

#include <memory>
#include <utility>

namespace grapevine::graph {

class ConstantSchedule final : public Schedule {
 public:
  explicit ConstantSchedule(std::shared_ptr<const Mixing> mixing)
      : mixing_(std::move(mixing)) {}
  std::shared_ptr<const Mixing> at(StepTime) const override { return mixing_; }
  int period() const override { return 1; }
  int n() const override { return mixing_->n(); }

 private:
  std::shared_ptr<const Mixing> mixing_;
};

} // namespace grapevine::graph
