// What a worker does with its own gradient: the local rule.
//
// A rule works on ranges of the arena's planes and keeps no state of its own
// but the planes, so any cut of the planes gives the same bits. One rule
// serves all workers; its functions are const and thread-safe.
#pragma once

#include "arena/arena.h"
#include "base/range.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace grapevine::optim {

struct StepInfo {
  int64_t step = 0; // from 0
  double lr = 0;
  double gradient_scale = 1; // from clipping
};

class LocalRule {
 public:
  virtual ~LocalRule() = default;

  virtual std::string name() const = 0;
  // How many planes of state the arena must have for it, with their names in
  // checkpoints.
  virtual std::vector<std::string> state_planes() const = 0;

  // Updates the parameters in `range` (cut as Layout::for_each_block wants it)
  // from the gradients there. If `squared_norms` is not empty, it has a place
  // for each tensor, to which the sums of squares of the new parameters are
  // added: call with ascending ranges.
  virtual void update(
      arena::Arena& arena,
      Range range,
      const StepInfo& info,
      std::span<double> squared_norms) const = 0;
};

} // namespace grapevine::optim
