#include "mix/step_measures.h"

#include "tensor/kernels/elementwise.h"

#include <algorithm>
#include <cmath>

namespace grapevine::mix {
namespace {

// Pieces that fit into the cache together with a copy of their old values.
constexpr int64_t kPiece = 16 * tensor::kBlock;

template <typename Visit>
void for_each_piece(Range range, const Visit& visit) {
  for (int64_t at = range.begin; at < range.end; at += kPiece) {
    visit(Range{at, std::min(at + kPiece, range.end)});
  }
}

} // namespace

void StepMeasures::begin(
    const tensor::Layout& layout,
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

void StepMeasures::add_gradients(const tensor::Arena& arena, Range range) {
  const float* plane = arena.gradients().data();
  arena.layout().for_each_block(range, [&](int, Range block, int64_t number) {
    gradients_[number] =
        tensor::sum_of_squares(plane + block.begin, block.size());
  });
}

void StepMeasures::measure_update(
    const tensor::Arena& arena,
    Range range,
    const tensor::MixTerms& mix,
    const std::function<void(Range)>& update) {
  float* without = scratch();
  const float* x = arena.parameters().data();
  for_each_piece(range, [&](Range piece) {
    if (mix.terms.empty()) {
      std::copy_n(x + piece.begin, piece.size(), without);
    } else {
      tensor::mixed_value(without, mix, piece.begin, piece.size());
    }
    update(piece);
    arena.layout().for_each_block(piece, [&](int, Range block, int64_t number) {
      updates_[number] = tensor::sum_of_squared_differences(
          x + block.begin,
          without + (block.begin - piece.begin),
          block.size());
    });
  });
}

void StepMeasures::add_before(
    const tensor::Layout& layout,
    std::span<const float> plane,
    Range range) {
  layout.for_each_block(range, [&](int, Range block, int64_t number) {
    const float* values = plane.data() + block.begin;
    before_[number] = tensor::sum(values, block.size());
    // By Cauchy-Schwarz.
    magnitudes_[number] = std::sqrt(
        tensor::sum_of_squares(values, block.size()) *
        static_cast<double>(block.size()));
  });
}

void StepMeasures::add_after(
    const tensor::Layout& layout,
    std::span<const float> plane,
    const tensor::MixTerms& mix,
    Range range) {
  float* mixed = scratch();
  for_each_piece(range, [&](Range piece) {
    const float* values = plane.data() + piece.begin;
    if (!mix.terms.empty()) {
      tensor::mixed_value(mixed, mix, piece.begin, piece.size());
      values = mixed;
    }
    layout.for_each_block(piece, [&](int, Range block, int64_t number) {
      after_[number] =
          tensor::sum(values + (block.begin - piece.begin), block.size());
    });
  });
}

StepMeasures::Squares StepMeasures::squares(
    const tensor::Layout& layout) const {
  Squares squares;
  if (measure_ == Measure::kNothing) return squares;
  squares.parameters = tensor::fold_blocks(layout, parameters_);
  if (measure_ == Measure::kNorms) return squares;
  squares.gradients = tensor::fold_blocks(layout, gradients_);
  squares.updates = tensor::fold_blocks(layout, updates_);
  return squares;
}

std::vector<double> StepMeasures::sums_before(
    const tensor::Layout& layout) const {
  return tensor::fold_blocks(layout, before_);
}

std::vector<double> StepMeasures::sums_after(
    const tensor::Layout& layout) const {
  return tensor::fold_blocks(layout, after_);
}

std::vector<double> StepMeasures::magnitudes(
    const tensor::Layout& layout) const {
  return tensor::fold_blocks(layout, magnitudes_);
}

} // namespace grapevine::mix
