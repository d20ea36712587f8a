// A hosted worker's part of the step at hand: private to the Stepper.
#pragma once

#include "cluster/stepper.h"

#include <functional>
#include <utility>

namespace grapevine::cluster {

struct Stepper::Lane {
  Lane(int index, arena::Arena& arena, std::function<void(int)> take_bucket)
      : index(index),
        arena(arena),
        queue(std::move(take_bucket)) {}

  int index;
  arena::Arena& arena;
  BucketQueue queue;
  StepMeasures measures;
  optim::StepInfo info;
  double update_seconds = 0;
};

} // namespace grapevine::cluster
