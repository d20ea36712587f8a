// The orders of the last epochs asked for, each made once. Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace grapevine::data {

using Order = std::vector<int64_t>;

class EpochOrders {
 public:
  explicit EpochOrders(std::function<Order(int64_t epoch)> make);

  std::shared_ptr<const Order> of(int64_t epoch) const;

 private:
  std::function<Order(int64_t epoch)> make_;
  mutable std::mutex mutex_;
  // The most recently used first. Guarded by mutex_; the orders themselves
  // never change.
  mutable std::list<std::pair<int64_t, std::shared_ptr<const Order>>> epochs_;
};

} // namespace grapevine::data
