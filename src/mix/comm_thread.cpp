#include "mix/comm_thread.h"

#include "base/check.h"
#include "base/error.h"

#include <utility>

namespace grapevine::mix {

CommThread::CommThread(Communicator& communicator)
    : communicator_(communicator),
      thread_([this] { run(); }) {}

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
  return !busy_ && count_ == 0 && !abandoned_;
}

bool CommThread::abandon(bool amid) {
  std::unique_lock lock(mutex_);
  if (!amid && !busy_ && count_ == 0) return abandoned_ != nullptr;
  abandoned_ =
      std::make_exception_ptr(TransportError("the exchange was given up"));
  for (; count_ > 0; --count_) {
    fail(jobs_[first_], abandoned_);
    first_ = (first_ + 1) % jobs_.size();
  }
  if (running_ != nullptr) running_->cancel();
  communicator_.interrupt();
  changed_.wait(lock, [this] { return !busy_; });
  return true;
}

void CommThread::fail(const Job& job, const std::exception_ptr& error) {
  if (job.exchange != nullptr) job.exchange->finish(error);
  if (job.call == nullptr) return;
  job.call->error_ = error;
  job.call->done_ = true;
}

void CommThread::start(Exchange& exchange) {
  push({.exchange = &exchange});
}

void CommThread::start(Call& call) {
  call.done_ = false;
  push({.call = &call});
}

void CommThread::wait(Call& call) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return call.done_; });
  if (call.error_) std::rethrow_exception(std::exchange(call.error_, nullptr));
}

void CommThread::call(std::function<void()> work) {
  Call call(std::move(work));
  start(call);
  wait(call);
}

void CommThread::push(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (abandoned_) {
      fail(job, abandoned_);
      return;
    }
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
  changed_.notify_all();
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
      if (job.call->work_) job.call->work_();
    } catch (...) {
      error = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      job.call->error_ = error;
      job.call->done_ = true;
      busy_ = false; // whoever waited for it may end at once, in good order
    }
    changed_.notify_all();
  }
}

} // namespace grapevine::mix
