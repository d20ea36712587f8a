#include "cluster/step_measures.h"

#include "kernel/elementwise.h"

#include <algorithm>
#include <cmath>

namespace grapevine::cluster {
namespace {

// Pieces that fit into the cache together with a copy of their old values.
constexpr int64_t kPiece = 16 * arena::kBlock;

template <typename Visit>
void for_each_piece(Range range, const Visit& visit) {
  for (int64_t at = range.begin; at < range.end; at += kPiece) {
    visit(Range{at, std::min(at + kPiece, range.end)});
  }
}

} // namespace

void StepMeasures::begin(
    const arena::Layout& layout,
    Measure measure,
    bool sums) {
  measure_ = measure;
  wants_sums_ = sums;
  const int64_t blocks = layout.blocks();
  if (measure != Measure::kNothing) parameters_.resize(blocks);
  if (measure == Measure::kEverything) {
    gradients_.resize(blocks);
    updates_.resize(blocks);
  }
  if (sums) {
    before_.resize(blocks);
    after_.resize(blocks);
    magnitudes_.resize(blocks);
  }
}

float* StepMeasures::scratch() {
  scratch_.resize(kPiece);
  return scratch_.data();
}

void StepMeasures::add_gradients(const arena::Arena& arena, Range range) {
  const float* plane = arena.gradients().data();
  arena.layout().for_each_block(range, [&](int, Range block, int64_t number) {
    gradients_[number] =
        kernel::sum_of_squares(plane + block.begin, block.size());
  });
}

void StepMeasures::measure_update(
    const arena::Arena& arena,
    Range range,
    const kernel::MixTerms& mix,
    const std::function<void(Range)>& update) {
  float* without = scratch();
  const float* x = arena.parameters().data();
  for_each_piece(range, [&](Range piece) {
    if (mix.terms.empty()) {
      std::copy_n(x + piece.begin, piece.size(), without);
    } else {
      kernel::mixed_value(without, mix, piece.begin, piece.size());
    }
    update(piece);
    arena.layout().for_each_block(piece, [&](int, Range block, int64_t number) {
      updates_[number] = kernel::sum_of_squared_differences(
          x + block.begin,
          without + (block.begin - piece.begin),
          block.size());
    });
  });
}

void StepMeasures::add_before(
    const arena::Layout& layout,
    std::span<const float> plane,
    Range range) {
  layout.for_each_block(range, [&](int, Range block, int64_t number) {
    const float* values = plane.data() + block.begin;
    before_[number] = kernel::sum(values, block.size());
    // By Cauchy-Schwarz.
    magnitudes_[number] = std::sqrt(
        kernel::sum_of_squares(values, block.size()) *
        static_cast<double>(block.size()));
  });
}

void StepMeasures::add_after(
    const arena::Layout& layout,
    std::span<const float> plane,
    const kernel::MixTerms& mix,
    Range range) {
  float* mixed = scratch();
  for_each_piece(range, [&](Range piece) {
    const float* values = plane.data() + piece.begin;
    if (!mix.terms.empty()) {
      kernel::mixed_value(mixed, mix, piece.begin, piece.size());
      values = mixed;
    }
    layout.for_each_block(piece, [&](int, Range block, int64_t number) {
      after_[number] =
          kernel::sum(values + (block.begin - piece.begin), block.size());
    });
  });
}

StepMeasures::Squares StepMeasures::squares(const arena::Layout& layout) const {
  Squares squares;
  if (measure_ == Measure::kNothing) return squares;
  squares.parameters = arena::fold_blocks(layout, parameters_);
  if (measure_ == Measure::kNorms) return squares;
  squares.gradients = arena::fold_blocks(layout, gradients_);
  squares.updates = arena::fold_blocks(layout, updates_);
  return squares;
}

std::vector<double> StepMeasures::sums_before(
    const arena::Layout& layout) const {
  return arena::fold_blocks(layout, before_);
}

std::vector<double> StepMeasures::sums_after(
    const arena::Layout& layout) const {
  return arena::fold_blocks(layout, after_);
}

std::vector<double> StepMeasures::magnitudes(
    const arena::Layout& layout) const {
  return arena::fold_blocks(layout, magnitudes_);
}

} // namespace grapevine::cluster
