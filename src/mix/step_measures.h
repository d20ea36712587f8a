// What a step measures of one worker: sums over the blocks of its planes.
//
// Blocks may come in any order and cut (tensor/layout.h); what is told at the
// end does not depend on it. Allocates when it measures something for the
// first time, and in the functions that return vectors.
#pragma once

#include "base/range.h"
#include "tensor/arena.h"
#include "tensor/kernels/mix_terms.h"

#include <functional>
#include <span>
#include <vector>

namespace grapevine::mix {

// Norms of the new parameters come out of the fused update; the rest needs a
// look at the gradients and at the old parameters.
enum class Measure { kNothing, kNorms, kEverything };

class StepMeasures {
 public:
  // sums: also the plain sums around the mixing, for --check.
  void begin(const tensor::Layout& layout, Measure measure, bool sums);

  bool wants_everything() const { return measure_ == Measure::kEverything; }
  bool wants_sums() const { return wants_sums_; }
  // For LocalRule::update: a place for each block, or none.
  std::span<double> parameter_squares() { return in_use(parameters_); }

  void add_gradients(const tensor::Arena& arena, Range range);
  // Runs `update`, which changes the parameters in the piece that it is given,
  // over the range, piece by piece, and measures by how much they differ then
  // from what they would be without it: from themselves, or from `mix`.
  void measure_update(
      const tensor::Arena& arena,
      Range range,
      const tensor::MixTerms& mix,
      const std::function<void(Range)>& update);
  // Sums of a plane before it is mixed, and of what takes its place: the same
  // plane later, or `mix` of it.
  void add_before(
      const tensor::Layout& layout,
      std::span<const float> plane,
      Range range);
  void add_after(
      const tensor::Layout& layout,
      std::span<const float> plane,
      const tensor::MixTerms& mix,
      Range range);

  // Sums of squares of each tensor; empty where they were not asked for.
  struct Squares {
    std::vector<double> parameters; // after the update, before averaging
    std::vector<double> gradients;  // the worker's own, before averaging
    std::vector<double> updates;    // what the local rule added
  };
  Squares squares(const tensor::Layout& layout) const;
  // Of each tensor.
  std::vector<double> sums_before(const tensor::Layout& layout) const;
  std::vector<double> sums_after(const tensor::Layout& layout) const;
  // Upper bounds of the sums of absolute values before.
  std::vector<double> magnitudes(const tensor::Layout& layout) const;

 private:
  std::span<double> in_use(std::vector<double>& blocks) {
    return measure_ == Measure::kNothing ? std::span<double>() : blocks;
  }
  float* scratch();

  Measure measure_ = Measure::kNothing;
  bool wants_sums_ = false;
  // One number for each block.
  std::vector<double> parameters_;
  std::vector<double> gradients_;
  std::vector<double> updates_;
  std::vector<double> before_;
  std::vector<double> after_;
  std::vector<double> magnitudes_;
  std::vector<float> scratch_;
};

} // namespace grapevine::mix
