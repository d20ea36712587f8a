// The learning rate of a step.
//
//   lr(t) = lr * f * warm-up(t) * decay(t)
//
//   f        scaling: batch * n / 256, or batch * (degree + 1) / 256 by
//            degree; `linear` multiplies by f, `sqrt` by its root
//   warm-up  min(1, (t + 1) / warmup_steps)
//   decay    constant: 1
//            step:     0.1 for each of the given fractions of the run passed
//            cosine:   e + (1 - e) (1 + cos(pi t / T)) / 2, T the steps of the
//                      whole run, e the share that is left at the end
//            inverse-sqrt: sqrt(w / max(w, t + 1)), w = max(1, warmup_steps):
//                      the peak is at the end of the warm-up
#pragma once

#include <cstdint>
#include <vector>

namespace grapevine::algo {

enum class LrDecay { kConstant, kStep, kCosine, kInverseSqrt };
enum class LrScaling { kNone, kLinear, kSqrt };
enum class LrScalingBy { kWorkers, kDegree };

struct LrOptions {
  double lr = 0.05;
  LrDecay decay = LrDecay::kConstant;
  std::vector<double> step_fractions = {0.5, 0.75};
  double end_share = 0; // cosine
  LrScaling scaling = LrScaling::kNone;
  LrScalingBy scaling_by = LrScalingBy::kWorkers;
  int64_t warmup_steps = 0;
  int64_t total_steps = 1;
  int64_t batch = 1; // a worker's
  int workers = 1;
};

// Returns lr(t) divided by its largest value: warm-up(t) * decay(t).
double share_of_peak(const LrOptions& options, int64_t step);

// degree: of the graph at that step.
double learning_rate(const LrOptions& options, int64_t step, double degree);

} // namespace grapevine::algo
