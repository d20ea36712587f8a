// Runs jobs on a thread of its own, one at a time.
//
// The thread starts with the first job and stays. One thread at a time may
// call these.
#pragma once

#include "base/deadline.h"

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace grapevine {

class JobThread {
 public:
  JobThread() = default;
  // Waits for the job.
  ~JobThread();
  JobThread(const JobThread&) = delete;
  JobThread& operator=(const JobThread&) = delete;

  // The job before has finished. Throws std::system_error if there can be no
  // thread.
  void start(std::function<void()> job);
  bool is_finished() const;
  // Waits for the job; returns false if the deadline has passed first.
  bool wait(Deadline deadline) const;
  void wait() const;
  // Throws what the finished job has thrown, if anything.
  void rethrow() const;

 private:
  void run();

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  // Guarded by mutex_.
  std::function<void()> job_;
  bool is_busy_ = false;
  bool stop_ = false;
  std::exception_ptr thrown_;

  std::thread thread_; // last: it uses the others
};

} // namespace grapevine
