// The communication thread: jobs run on it one after the other, in the order
// in which they were started.
//
// A communicator is used by one thread at a time. With this that is the thread
// here or, while nothing that was started is left to do (is_idle), the owner of
// this, who calls from one thread.
#pragma once

#include "mix/link.h"

#include <array>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace grapevine::mix {

class CommThread {
 public:
  // Work to run there. Stays where it is until it has ended.
  class Job {
   public:
    virtual ~Job() = default;

   private:
    friend class CommThread;
    virtual void run() = 0;
    // It has run, and thrown that if not null; or it never will.
    virtual void end(const std::exception_ptr& error) = 0;
    // From any thread: whatever waits inside run, but not for a peer, throws.
    virtual void cancel() {}
  };
  // A function to run there.
  class Call : public Job {
   public:
    explicit Call(std::function<void()> work) : work_(std::move(work)) {}

   private:
    friend class CommThread;
    void run() override {
      if (work_) work_();
    }
    void end(const std::exception_ptr& error) override {
      error_ = error;
      is_done_ = true;
    }

    std::function<void()> work_;
    bool is_done_ = false;
    std::exception_ptr error_;
  };

  // Borrows the link, which nobody but the owner, and it only while this is
  // idle, may use from now on.
  explicit CommThread(Link& link);
  // Abandons what is not over: to end in good order, drain first.
  ~CommThread();
  CommThread(const CommThread&) = delete;
  CommThread& operator=(const CommThread&) = delete;

  // Runs the job after everything started before; returns at once. At most
  // kMostJobs at a time.
  static constexpr size_t kMostJobs = 4;
  void start(Job& job);
  void start(Call& call);
  // Until it is done; throws what it threw. All exchanges started before it
  // must have been released to the end.
  void wait(Call& call);
  // Both.
  void call(std::function<void()> work);
  // Until all that was started is over. The same holds as for wait.
  void drain() { call({}); }
  // Nothing that was started is left to do: the owner of this may use the
  // communicator until it starts the next.
  bool is_idle();
  // Gives up what was started and is not over, without waiting for any peer.
  // If there was such, or the owner itself was `amid` something, the peers'
  // messages are in the air, and whatever is started from then on fails.
  // Nobody is in wait(). Returns whether that is so.
  bool abandon(bool amid = false);

 private:
  void run();
  // Null at the end.
  Job* take();

  Link& link_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::array<Job*, kMostJobs> jobs_{}; // a ring
  size_t first_ = 0;
  size_t count_ = 0;
  Job* running_ = nullptr;
  bool stop_ = false;
  std::exception_ptr abandoned_;

  std::thread thread_; // last: it uses the others
};

} // namespace grapevine::mix
