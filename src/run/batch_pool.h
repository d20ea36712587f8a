// Batches that are lent and given back: as many exist as were ever in use at
// once, one for each computing thread, however many workers there are.
#pragma once

#include "data/loader.h"

#include <memory>
#include <mutex>
#include <vector>

namespace grapevine::run {

class BatchPool {
 public:
  // Any thread. Gives the batch back at its end.
  class Lease {
   public:
    explicit Lease(BatchPool& pool) : pool_(pool), batch_(pool.lend()) {}
    ~Lease() { pool_.take_back(std::move(batch_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    data::Batch& batch() const { return *batch_; }

   private:
    BatchPool& pool_;
    std::unique_ptr<data::Batch> batch_;
  };

 private:
  std::unique_ptr<data::Batch> lend() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<data::Batch>();
    auto batch = std::move(free_.back());
    free_.pop_back();
    return batch;
  }
  void take_back(std::unique_ptr<data::Batch> batch) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(batch));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<data::Batch>> free_; // guarded by mutex_
};

} // namespace grapevine::run
