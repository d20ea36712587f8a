// Which bucket's turn it is, while gradients become final in any order.
//
// Buckets are handed out in their own order, each once a step, so that all
// workers do: one whose gradients are there early waits for those before it.
#pragma once

#include "mix/gradient_listener.h"
#include "tensor/buckets.h"

#include <functional>
#include <vector>

namespace grapevine::mix {

class BucketQueue : public GradientListener {
 public:
  // take(bucket) is called for one bucket after the other.
  explicit BucketQueue(std::function<void(int)> take)
      : take_(std::move(take)) {}

  // Borrows the buckets until the next begin.
  void begin(const tensor::Buckets& buckets);
  // Hands out the buckets whose turn it is. Nothing is handed out any more
  // once take has thrown; the error waits for flush, since backward is no
  // place for it.
  void tensor_ready(int tensor) override;
  // All that are left, whatever has become of their gradients.
  void flush();

 private:
  const tensor::Buckets* buckets_ = nullptr;
  std::function<void(int)> take_;
  std::vector<int> missing_; // tensors, of each bucket
  int next_ = 0;
  std::exception_ptr error_;
};

// Listens to one backward to learn the order of the tensors.
class OrderTracer : public GradientListener {
 public:
  void tensor_ready(int tensor) override { order_.push_back(tensor); }
  // Tensors that were not named stand at the end, the last one first.
  std::vector<int> order(int tensors) const;

 private:
  std::vector<int> order_;
};

} // namespace grapevine::mix
