#include "base/job_queue.h"

#include "base/check.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace grapevine {

struct JobQueue::State {
  enum class Stage { kWaiting, kRunning, kDone };
  struct Job {
    std::function<void()> work;
    Stage stage = Stage::kWaiting;
    std::exception_ptr error;
  };

  std::mutex mutex;
  std::condition_variable changed;
  // Guarded by mutex.
  std::map<int64_t, Job> jobs;
  std::deque<int64_t> waiting; // keys, in order; some may be taken already
  bool stop = false;

  std::vector<std::jthread> threads; // last: they use the others

  // Also of those that have begun when another one cannot.
  ~State() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    changed.notify_all();
    threads.clear();
  }

  // Does a job that nobody has taken, without the lock meanwhile.
  void run(Job& job, std::unique_lock<std::mutex>& lock) {
    job.stage = Stage::kRunning;
    lock.unlock();
    try {
      job.work();
    } catch (...) {
      job.error = std::current_exception();
    }
    lock.lock();
    job.stage = Stage::kDone;
    changed.notify_all();
  }

  Job* next() {
    while (!waiting.empty()) {
      const auto at = jobs.find(waiting.front());
      waiting.pop_front();
      if (at != jobs.end() && at->second.stage == Stage::kWaiting) {
        return &at->second;
      }
    }
    return nullptr;
  }

  void help(const std::function<void()>& on_start) {
    if (on_start) on_start();
    std::unique_lock lock(mutex);
    while (!stop) {
      if (Job* job = next()) {
        run(*job, lock);
      } else {
        changed.wait(lock);
      }
    }
  }
};

JobQueue::JobQueue(int helpers, const std::function<void()>& on_start)
    : state_(std::make_unique<State>()) {
  for (int i = 0; i < helpers; ++i)
    state_->threads.emplace_back([this, on_start] { state_->help(on_start); });
}

JobQueue::~JobQueue() = default;

void JobQueue::start(int64_t key, std::function<void()> job) {
  {
    const std::lock_guard lock(state_->mutex);
    const bool is_new =
        state_->jobs.try_emplace(key, State::Job{.work = std::move(job)})
            .second;
    GV_CHECK(is_new);
    state_->waiting.push_back(key);
  }
  state_->changed.notify_one();
}

void JobQueue::finish(int64_t key) {
  std::unique_lock lock(state_->mutex);
  const auto at = state_->jobs.find(key);
  if (at == state_->jobs.end()) return;
  State::Job& job = at->second;
  if (job.stage == State::Stage::kWaiting) state_->run(job, lock);
  // Jobs are asked for in about the order in which they were started, so the
  // next one, too, would be with a helper: to wait for each of them would leave
  // this thread without work.
  while (job.stage != State::Stage::kDone) {
    if (State::Job* other = state_->next()) {
      state_->run(*other, lock);
    } else {
      state_->changed.wait(lock);
    }
  }
  const std::exception_ptr error = job.error;
  state_->jobs.erase(at);
  if (error) std::rethrow_exception(error);
}

void JobQueue::drain() {
  std::unique_lock lock(state_->mutex);
  while (State::Job* job = state_->next())
    state_->run(*job, lock);
  state_->changed.wait(lock, [&] {
    for (const auto& [key, job] : state_->jobs) {
      if (job.stage != State::Stage::kDone) return false;
    }
    return true;
  });
  for (const auto& [key, job] : state_->jobs) {
    if (job.error) std::rethrow_exception(job.error);
  }
}

} // namespace grapevine
