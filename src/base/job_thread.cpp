#include "base/job_thread.h"

#include <utility>

namespace grapevine {

JobThread::~JobThread() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void JobThread::start(std::function<void()> job) {
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  {
    const std::lock_guard lock(mutex_);
    job_ = std::move(job);
    is_busy_ = true;
    thrown_ = nullptr;
  }
  changed_.notify_all();
}

bool JobThread::is_finished() const {
  const std::lock_guard lock(mutex_);
  return !is_busy_;
}

bool JobThread::wait(Deadline deadline) const {
  std::unique_lock lock(mutex_);
  while (is_busy_) {
    if (deadline.passed()) return false;
    // A millisecond more than is left: remaining() rounds down.
    changed_.wait_for(
        lock,
        deadline.remaining() + std::chrono::milliseconds(1));
  }
  return true;
}

void JobThread::wait() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !is_busy_; });
}

void JobThread::rethrow() const {
  const std::lock_guard lock(mutex_);
  if (thrown_ != nullptr) std::rethrow_exception(thrown_);
}

void JobThread::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_busy_ || stop_; });
    if (!is_busy_) return;
    const auto job = std::move(job_);
    lock.unlock();
    std::exception_ptr thrown;
    try {
      job();
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    thrown_ = thrown;
    is_busy_ = false;
    changed_.notify_all();
  }
}

} // namespace grapevine
