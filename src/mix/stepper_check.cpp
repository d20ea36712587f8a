// What --check verifies around a step.
#include "mix/invariants.h"
#include "mix/stepper.h"

#include <vector>

namespace grapevine::mix {
namespace {

std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double& value : values)
    value *= factor;
  return values;
}

} // namespace

void Stepper::check_weights(int64_t step, const graph::Mixing& mixing) {
  if (mixing.digest() == checked_weights_) return;
  checked_weights_ = mixing.digest();
  const std::vector<double> ones(mixing.n(), 1.0);
  const auto before = schedule_.weights(step);
  const auto after = schedule_.weights(step + 1);
  check_stochastic(
      mixing,
      before ? *before : ones,
      after ? *after : ones,
      step);
}

void Stepper::check_step(int64_t step, const graph::Mixing& mixing) {
  const tensor::Layout& layout = lanes_.front()->arena.layout();
  Rows before;
  Rows after;
  Rows magnitudes;
  for (const auto& lane : lanes_) {
    const double is_at = weight(*lane, step);
    const double comes_to = weight(*lane, step + 1);
    before.push_back(scaled(lane->measures.sums_before(layout), is_at));
    after.push_back(scaled(lane->measures.sums_after(layout), comes_to));
    magnitudes.push_back(scaled(lane->measures.magnitudes(layout), is_at));
  }
  check_mean_preserved(
      layout,
      cluster_.all_gather(before),
      cluster_.all_gather(after),
      cluster_.all_gather(magnitudes),
      step);
  if (agreement_.sends_ahead() ||
      mixing.form() != graph::Mixing::Form::kComplete) {
    return;
  }
  Rows fingerprints;
  for (const auto& lane : lanes_) {
    fingerprints.push_back(
        tensor_fingerprints(layout, lane->arena.parameters()));
  }
  check_replicas_equal(layout, cluster_.all_gather(fingerprints), step);
}

} // namespace grapevine::mix
