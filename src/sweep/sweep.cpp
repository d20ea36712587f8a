#include "sweep/sweep.h"

#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace grapevine::sweep {
namespace {

Ending guarded(const RunFunction& run, const Start& start) {
  try {
    return run(start.run, start.threads);
  } catch (const std::exception& error) {
    return {Outcome::kFailed, error.what()};
  } catch (...) {
    return {Outcome::kFailed, "an unknown error"};
  }
}

class Sweep {
 public:
  Sweep(
      Scheduler scheduler,
      size_t runs,
      const RunFunction& run,
      const SweepOptions& options,
      const SweepEvents& events)
      : scheduler_(std::move(scheduler)),
        run_(run),
        options_(options),
        events_(events),
        endings_(runs) {}

  std::vector<Ending> go() {
    work_off();
    if (options_.retry_locked.count() > 0) wait_for_locked();
    return std::move(endings_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool interrupted() const {
    return options_.interrupt != nullptr && *options_.interrupt;
  }

  void work_off() {
    for (;;) {
      if (interrupted()) scheduler_.stop();
      start_runs();
      if (scheduler_.done()) return;
      take_endings();
      if (events_.on_tick) events_.on_tick(scheduler_);
    }
  }

  void start_runs() {
    for (;;) {
      const auto start = scheduler_.next();
      if (!start) return;
      if (events_.on_start) events_.on_start(*start, scheduler_);
      threads_[start->run] = std::jthread([this, start = *start] {
        Ending ending = guarded(run_, start);
        const std::lock_guard lock(mutex_);
        ended_.emplace_back(start.run, std::move(ending));
        wake_.notify_one();
      });
    }
  }

  // Waits for the next tick or the first ending.
  void take_endings() {
    std::vector<std::pair<size_t, Ending>> ended;
    {
      std::unique_lock lock(mutex_);
      wake_.wait_for(lock, options_.tick, [&] { return !ended_.empty(); });
      ended.swap(ended_);
    }
    for (auto& [run, ending] : ended) {
      threads_.erase(run);
      scheduler_.end(run);
      endings_[run] = std::move(ending);
      if (events_.on_end) events_.on_end(run, endings_[run], scheduler_);
    }
  }

  std::vector<size_t> locked() const {
    std::vector<size_t> runs;
    for (size_t run = 0; run < endings_.size(); ++run) {
      if (endings_[run].outcome == Outcome::kLocked) runs.push_back(run);
    }
    return runs;
  }

  // A run that another process has finished meanwhile comes back as done; one
  // that it gave up is done here.
  void wait_for_locked() {
    for (auto runs = locked(); !runs.empty(); runs = locked()) {
      if (!pause(options_.retry_locked)) return;
      scheduler_.wait(runs);
      work_off();
    }
  }

  // False when it was interrupted.
  bool pause(std::chrono::milliseconds length) {
    const auto end = Clock::now() + length;
    while (!interrupted() && Clock::now() < end) {
      std::this_thread::sleep_for(std::min(options_.tick, length));
      if (events_.on_tick) events_.on_tick(scheduler_);
    }
    return !interrupted();
  }

  Scheduler scheduler_;
  const RunFunction& run_;
  const SweepOptions& options_;
  const SweepEvents& events_;
  std::vector<Ending> endings_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::pair<size_t, Ending>> ended_; // guarded by mutex_
  // Last, so that all have ended before anything else goes.
  std::map<size_t, std::jthread> threads_;
};

} // namespace

std::vector<Ending> run_sweep(
    Scheduler scheduler,
    size_t runs,
    const RunFunction& run,
    const SweepOptions& options,
    const SweepEvents& events) {
  return Sweep(std::move(scheduler), runs, run, options, events).go();
}

} // namespace grapevine::sweep
