// What a worker does with its own gradient: the local rule.
//
// A rule works on ranges of the arena's planes and keeps no state of its own
// but the planes, so any cut of the planes gives the same bits. One rule
// serves all workers; its functions are const and thread-safe.
#pragma once

#include "base/range.h"
#include "tensor/arena.h"
#include "tensor/kernels/mix_terms.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace grapevine::algo {

struct StepInfo {
  int64_t step = 0; // from 0
  double lr = 0;
  double gradient_scale = 1; // from clipping
  // A plane that takes the updated parameters instead of the arena's own,
  // which then stay as they are; null: none.
  float* result = nullptr;
};

inline float* result_plane(const StepInfo& info, tensor::Arena& arena) {
  return info.result != nullptr ? info.result : arena.parameters().data();
}

class LocalRule {
 public:
  virtual ~LocalRule() = default;

  // How many planes of state the arena must have for it, with their names in
  // checkpoints.
  virtual std::vector<std::string> state_planes() const = 0;

  // Updates the parameters in `range` (cut as Layout::for_each_block wants it)
  // from the gradients there: the mixed value (x itself where `mix` has no
  // terms), moved by the rule, is written to result_plane(info, arena).
  //
  // block_squares: empty, or a place for each of the layout's blocks. Those of
  // the range are written, so ranges may come in any order: the sums of
  // squares of the parameters before they are mixed, which are the old ones
  // with mix terms and the new ones without.
  virtual void update(
      tensor::Arena& arena,
      Range range,
      const StepInfo& info,
      const tensor::MixTerms& mix,
      std::span<double> block_squares) const = 0;
};

} // namespace grapevine::algo
