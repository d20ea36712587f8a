#include "algo/lr_schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace grapevine::algo {
namespace {

double scaling_factor(const LrOptions& options, double degree) {
  const double partners = options.scaling_by == LrScalingBy::kWorkers
                              ? options.workers
                              : degree + 1;
  const double factor = static_cast<double>(options.batch) * partners / 256;
  switch (options.scaling) {
    case LrScaling::kNone:
      return 1;
    case LrScaling::kLinear:
      return factor;
    case LrScaling::kSqrt:
      return std::sqrt(factor);
  }
  return 1;
}

double warm_up(const LrOptions& options, int64_t step) {
  if (options.warmup_steps == 0) return 1;
  return std::min(
      1.0,
      static_cast<double>(step + 1) /
          static_cast<double>(options.warmup_steps));
}

double decay_factor(const LrOptions& options, int64_t step) {
  const double done =
      static_cast<double>(step) / static_cast<double>(options.total_steps);
  switch (options.decay) {
    case LrDecay::kConstant:
      return 1;
    case LrDecay::kStep:
      return std::pow(
          0.1,
          std::ranges::count_if(options.step_fractions, [&](double fraction) {
            return done >= fraction;
          }));
    case LrDecay::kCosine:
      return options.end_share + (1 - options.end_share) *
                                     (1 + std::cos(std::numbers::pi * done)) /
                                     2;
    case LrDecay::kInverseSqrt: {
      const auto warm =
          static_cast<double>(std::max<int64_t>(options.warmup_steps, 1));
      return std::sqrt(warm / std::max(warm, static_cast<double>(step + 1)));
    }
  }
  return 1;
}

} // namespace

double share_of_peak(const LrOptions& options, int64_t step) {
  return warm_up(options, step) * decay_factor(options, step);
}

double learning_rate(const LrOptions& options, int64_t step, double degree) {
  const double warm = warm_up(options, step);
  return options.lr * scaling_factor(options, degree) * warm *
         decay_factor(options, step);
}

} // namespace grapevine::algo
