#include "net/c10d/gloo_operation.h"

namespace grapevine::net {
namespace {

// A watched operation is given up by cancel, never by c10d's clock.
constexpr std::chrono::milliseconds kVeryLong = std::chrono::hours(24 * 365);

} // namespace

Watcher::~Watcher() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Watcher::start(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    job_ = std::move(job);
    busy_ = true;
    thrown_ = nullptr;
  }
  changed_.notify_all();
}

bool Watcher::finished() {
  const std::lock_guard lock(mutex_);
  return !busy_;
}

bool Watcher::wait(Deadline deadline) {
  std::unique_lock lock(mutex_);
  while (busy_) {
    if (deadline.passed()) return false;
    changed_.wait_for(
        lock,
        deadline.remaining() + std::chrono::milliseconds(1));
  }
  return true;
}

void Watcher::rethrow() {
  const std::lock_guard lock(mutex_);
  if (thrown_ != nullptr) std::rethrow_exception(thrown_);
}

void Watcher::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return busy_ || stop_; });
    if (!busy_) return;
    auto job = std::move(job_);
    lock.unlock();
    std::exception_ptr thrown;
    try {
      job();
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    thrown_ = thrown;
    busy_ = false;
    changed_.notify_all();
  }
}

void GlooOperation::begin(Direction direction, int peer, size_t length) {
  direction_ = direction;
  peer_ = peer;
  length_ = length;
  pieces_.clear();
  watched_ = false;
}

bool GlooOperation::test() {
  if (!watched_) {
    if (watcher_ == nullptr) watcher_ = std::make_unique<Watcher>();
    watched_ = true;
    watcher_->start([this] {
      for (const WorkPointer& piece : pieces_) {
        if (!piece->wait(kVeryLong)) return; // cancelled
      }
    });
  }
  if (!watcher_->finished()) return false;
  watcher_->rethrow();
  return true;
}

bool GlooOperation::wait(Deadline deadline) {
  if (watched_) {
    if (!watcher_->wait(deadline)) return false;
    watcher_->rethrow();
    return true;
  }
  for (const WorkPointer& piece : pieces_) {
    // False is an abort; a time-out throws.
    if (!piece->wait(c10d_timeout(deadline))) {
      throw std::runtime_error("interrupted");
    }
  }
  return true;
}

void GlooOperation::abort() {
  // An abort stays until a wait meets it, so none can be missed.
  for (const WorkPointer& piece : pieces_) {
    piece->abort();
  }
}

void GlooOperation::cancel() {
  abort();
  watcher_.reset();
  watched_ = false;
  pieces_.clear();
}

} // namespace grapevine::net
