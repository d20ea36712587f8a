// Memory that mixings and exchanges of one worker work in, one at a time.
//
// Whoever owns a link owns this for longer: operations that a link has not
// finished may still point here.
#pragma once

#include "base/aligned.h"

#include <cstdint>
#include <list>
#include <span>
#include <vector>

namespace grapevine::mix {

class Workspace {
 public:
  // Room for this many floats; what was there before is lost.
  void need_scratch(int64_t floats) {
    if (scratch_.size() < floats) scratch_ = AlignedFloats(floats);
  }
  float* scratch() { return scratch_.data(); }

  // At least `count` planes. Those that are there stay where they are, since
  // somebody may be reading, so `floats` must be the same until they are
  // forgotten.
  void need_inboxes(int count, int64_t floats) {
    while (inboxes_.size() < static_cast<size_t>(count)) {
      inboxes_.emplace_back(floats);
      pointers_.push_back(inboxes_.back().data());
    }
  }
  std::span<float* const> inboxes() const { return pointers_; }
  void forget_inboxes() {
    inboxes_.clear();
    pointers_.clear();
  }

 private:
  AlignedFloats scratch_;
  std::list<AlignedFloats> inboxes_;
  std::vector<float*> pointers_;
};

} // namespace grapevine::mix
