// A hosted worker's part of the step at hand: private to the Stepper.
#pragma once

#include "mix/stepper.h"

#include <functional>
#include <utility>

namespace grapevine::mix {

struct Stepper::Lane {
  Lane(int index, tensor::Arena& arena, std::function<void(int)> take_bucket)
      : index(index),
        arena(arena),
        queue(std::move(take_bucket)) {}

  int index;
  tensor::Arena& arena;
  BucketQueue queue;
  StepMeasures measures;
  algo::StepInfo info;
  // With a mixing strength below 1: what was sent, or the damped mixture.
  std::vector<float> unmixed;
  const float* damped = nullptr;
  double update_seconds = 0;
};

} // namespace grapevine::mix
