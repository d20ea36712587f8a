#include "mix/comm_thread.h"

#include "base/check.h"
#include "base/error.h"

#include <utility>

namespace grapevine::mix {

CommThread::CommThread(Link& link) : link_(link), thread_([this] { run(); }) {}

CommThread::~CommThread() {
  abandon();
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool CommThread::is_idle() {
  const std::lock_guard lock(mutex_);
  return running_ == nullptr && count_ == 0 && !abandoned_;
}

bool CommThread::abandon(bool amid) {
  std::unique_lock lock(mutex_);
  if (!amid && running_ == nullptr && count_ == 0) {
    return abandoned_ != nullptr;
  }
  abandoned_ =
      std::make_exception_ptr(TransportError("the exchange was given up"));
  for (; count_ > 0; --count_) {
    jobs_[first_]->end(abandoned_);
    first_ = (first_ + 1) % jobs_.size();
  }
  if (running_ != nullptr) running_->cancel();
  link_.interrupt();
  changed_.wait(lock, [this] { return running_ == nullptr; });
  return true;
}

void CommThread::start(Job& job) {
  {
    const std::lock_guard lock(mutex_);
    if (abandoned_) {
      job.end(abandoned_);
      return;
    }
    GV_CHECK_LT(count_, jobs_.size());
    jobs_[(first_ + count_) % jobs_.size()] = &job;
    ++count_;
  }
  changed_.notify_all();
}

void CommThread::start(Call& call) {
  call.is_done_ = false;
  start(static_cast<Job&>(call));
}

void CommThread::wait(Call& call) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return call.is_done_; });
  if (call.error_) std::rethrow_exception(std::exchange(call.error_, nullptr));
}

void CommThread::call(std::function<void()> work) {
  Call call(std::move(work));
  start(call);
  wait(call);
}

CommThread::Job* CommThread::take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return stop_ || count_ > 0; });
  if (stop_) return nullptr;
  running_ = jobs_[first_];
  first_ = (first_ + 1) % jobs_.size();
  --count_;
  return running_;
}

void CommThread::run() {
  while (Job* job = take()) {
    std::exception_ptr error;
    try {
      job->run();
    } catch (...) {
      error = std::current_exception();
    }
    {
      // Whoever has waited for it may end at once, in good order.
      const std::lock_guard lock(mutex_);
      job->end(error);
      running_ = nullptr;
    }
    changed_.notify_all();
  }
}

} // namespace grapevine::mix
