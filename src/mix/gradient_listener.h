// Whoever wants to know, while backward runs, which gradients are final.
#pragma once

namespace grapevine::mix {

class GradientListener {
 public:
  virtual ~GradientListener() = default;
  // Called by backward, from the thread that runs it, at most once a step for
  // each tensor of the layout: its gradient will not change any more in this
  // step. A tensor that took no part in the step is never named.
  virtual void tensor_ready(int tensor) = 0;
};

} // namespace grapevine::mix
