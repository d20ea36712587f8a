#include "mix/bucket_queue.h"

#include <algorithm>
#include <exception>

namespace grapevine::mix {

void BucketQueue::begin(const tensor::Buckets& buckets) {
  buckets_ = &buckets;
  missing_.resize(buckets.size());
  for (int b = 0; b < buckets.size(); ++b) {
    missing_[b] = static_cast<int>(buckets.tensors(b).size());
  }
  next_ = 0;
  error_ = nullptr;
}

void BucketQueue::tensor_ready(int tensor) {
  for (const int bucket : buckets_->buckets_of(tensor))
    --missing_[bucket];
  try {
    while (!error_ && next_ < buckets_->size() && missing_[next_] <= 0) {
      take_(next_++);
    }
  } catch (...) {
    error_ = std::current_exception();
  }
}

void BucketQueue::flush() {
  if (error_) std::rethrow_exception(error_);
  while (next_ < buckets_->size())
    take_(next_++);
}

std::vector<int> OrderTracer::order(int tensors) const {
  std::vector<int> order = order_;
  for (int tensor = tensors - 1; tensor >= 0; --tensor) {
    if (std::ranges::find(order_, tensor) == order_.end()) {
      order.push_back(tensor);
    }
  }
  return order;
}

} // namespace grapevine::mix
