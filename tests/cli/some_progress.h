// A run in the middle, for tests of how progress is shown.
#pragma once

#include "run/trainer.h"

namespace grapevine::cli {

inline run::Progress some_progress() {
  run::Progress progress;
  progress.step = 57;
  progress.steps = 152;
  progress.epoch = 3;
  progress.epochs = 8;
  progress.loss = 0.5;
  progress.test_accuracy = 0.831;
  progress.degree = 2;
  progress.samples_per_second = 24300;
  progress.seconds_left = 12;
  progress.phase = "training";
  return progress;
}

} // namespace grapevine::cli
