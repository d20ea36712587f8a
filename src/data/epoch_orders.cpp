#include "data/epoch_orders.h"

#include <algorithm>

namespace grapevine::data {

// The running epoch, the next one (prefetch), and one to spare.
constexpr size_t kRememberedEpochs = 3;

EpochOrders::EpochOrders(std::function<Order(int64_t epoch)> make)
    : make_(std::move(make)) {}

std::shared_ptr<const Order> EpochOrders::of(int64_t epoch) const {
  // Held while it is made: whoever asks for the same epoch wants to wait.
  const std::lock_guard lock(mutex_);
  const auto found =
      std::ranges::find(epochs_, epoch, [](const auto& remembered) {
        return remembered.first;
      });
  if (found != epochs_.end()) {
    epochs_.splice(epochs_.begin(), epochs_, found);
    return epochs_.front().second;
  }
  epochs_.emplace_front(epoch, std::make_shared<const Order>(make_(epoch)));
  if (epochs_.size() > kRememberedEpochs) epochs_.pop_back();
  return epochs_.front().second;
}

} // namespace grapevine::data
