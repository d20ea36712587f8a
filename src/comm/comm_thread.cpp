#include "comm/comm_thread.h"

#include "base/check.h"

#include <utility>

namespace grapevine::comm {

CommThread::CommThread(Communicator& communicator)
    : communicator_(communicator),
      thread_([this] { run(); }) {}

CommThread::~CommThread() {
  bool unfinished = false;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    unfinished = busy_ || count_ > 0;
    if (running_ != nullptr) running_->cancel();
  }
  changed_.notify_all();
  if (unfinished) communicator_.interrupt();
  thread_.join();
}

void CommThread::start(Exchange& exchange) {
  push({.exchange = &exchange});
}

void CommThread::call(const std::function<void()>& work) {
  push({.work = &work});
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return count_ == 0 && !busy_; });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void CommThread::push(Job job) {
  {
    const std::lock_guard lock(mutex_);
    GV_CHECK_LT(count_, jobs_.size());
    jobs_[(first_ + count_) % jobs_.size()] = job;
    ++count_;
  }
  changed_.notify_all();
}

bool CommThread::take(Job& job) {
  std::unique_lock lock(mutex_);
  busy_ = false;
  running_ = nullptr;
  if (count_ == 0) changed_.notify_all();
  changed_.wait(lock, [this] { return stop_ || count_ > 0; });
  if (stop_) return false;
  job = jobs_[first_];
  first_ = (first_ + 1) % jobs_.size();
  --count_;
  busy_ = true;
  running_ = job.exchange;
  return true;
}

void CommThread::run() {
  Job job;
  while (take(job)) {
    if (job.exchange != nullptr) {
      communicator_.run(*job.exchange);
      continue;
    }
    std::exception_ptr error;
    try {
      if (*job.work) (*job.work)();
    } catch (...) {
      error = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    error_ = error;
  }
}

} // namespace grapevine::comm
