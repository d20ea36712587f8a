// Jobs that are begun ahead of their use: threads take them in the order in
// which they were started, and whoever needs one that nobody has taken yet
// does it itself.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace grapevine {

class JobQueue {
 public:
  // `helpers` threads beside the caller's; with none, every job is done where
  // it is asked for. on_start runs once on each of them.
  explicit JobQueue(int helpers, const std::function<void()>& on_start = {});
  // Jobs that nobody has asked for are finished or left undone.
  ~JobQueue();
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  // One thread calls these.

  // At most one job a key at a time.
  void start(int64_t key, std::function<void()> job);
  // Until it is done, helping with others meanwhile. Throws what it threw. A
  // key without a job is done.
  void finish(int64_t key);
  // Until all jobs are done. Throws what one of them threw, and so will finish.
  void drain();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace grapevine
