#include "base/thread_pool.h"

#include "base/check.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace grapevine {

struct ThreadPool::State {
  std::function<void()> on_start; // as it was when the first thread began
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable finished;
  // Guarded by mutex.
  const std::function<void(int64_t, int)>* body = nullptr;
  int64_t count = 0;
  uint64_t round = 0;
  int busy = 0;
  bool stopping = false;
  std::exception_ptr error;
  // Shared without the mutex: which index comes next.
  std::atomic<int64_t> next{0};
  std::vector<std::jthread> helpers;

  // Also of those that have begun when another one cannot.
  ~State() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    wake.notify_all();
    helpers.clear();
  }

  void take_indices(
      const std::function<void(int64_t, int)>& work,
      int64_t limit,
      int thread) {
    try {
      for (int64_t i = next++; i < limit; i = next++)
        work(i, thread);
    } catch (...) {
      next = limit;
      const std::lock_guard lock(mutex);
      if (!error) error = std::current_exception();
    }
  }

  void serve(int thread) {
    uint64_t seen = 0;
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [&] { return stopping || round != seen; });
      if (stopping) return;
      seen = round;
      const auto* work = body;
      const int64_t limit = count;
      lock.unlock();
      take_indices(*work, limit, thread);
      lock.lock();
      if (--busy == 0) finished.notify_one();
    }
  }
};

ThreadPool::ThreadPool(int threads, std::function<void()> on_start)
    : state_(std::make_unique<State>()) {
  GV_CHECK_GE(threads, 1);
  state_->on_start = std::move(on_start);
  if (state_->on_start) state_->on_start();
  for (int thread = 1; thread < threads; ++thread) {
    state_->helpers.emplace_back([state = state_.get(), thread] {
      if (state->on_start) state->on_start();
      state->serve(thread);
    });
  }
}

ThreadPool::~ThreadPool() = default;

int ThreadPool::threads() const {
  return static_cast<int>(state_->helpers.size()) + 1;
}

void ThreadPool::for_each(
    int64_t count,
    const std::function<void(int64_t, int)>& body) {
  State& state = *state_;
  {
    const std::lock_guard lock(state.mutex);
    state.body = &body;
    state.count = count;
    state.next = 0;
    state.error = nullptr;
    state.busy = static_cast<int>(state.helpers.size());
    ++state.round;
  }
  state.wake.notify_all();
  state.take_indices(body, count, 0);
  std::unique_lock lock(state.mutex);
  state.finished.wait(lock, [&] { return state.busy == 0; });
  if (state.error) std::rethrow_exception(state.error);
}

} // namespace grapevine
