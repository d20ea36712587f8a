// The thread that talks: exchanges and calls run on it one after the other, in
// the order in which they were asked for.
//
// A communicator is used by one thread at a time. With this that is the thread
// here, or, while nothing that was started is left to do (is_idle), whoever
// owns this, who asks from one thread.
#pragma once

#include "mix/communicator.h"
#include "mix/exchange.h"

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
  // Borrows the communicator, which nobody but the owner, and it only while
  // this is idle, may use from now on.
  explicit CommThread(Communicator& communicator);
  // Abandons what is not over. So whoever ends in good order calls drain first.
  ~CommThread();
  CommThread(const CommThread&) = delete;
  CommThread& operator=(const CommThread&) = delete;

  // Runs the exchange, which was opened and stays where it is until it is
  // over; returns at once. At most kMostExchanges may be open.
  static constexpr size_t kMostExchanges = 2;
  void start(Exchange& exchange);

  // Work to run there. Stays where it is until it has been waited for.
  class Call {
   public:
    explicit Call(std::function<void()> work) : work_(std::move(work)) {}

   private:
    friend class CommThread;
    std::function<void()> work_;
    bool done_ = false;
    std::exception_ptr error_;
  };
  // Runs the work behind everything started before; returns at once.
  void start(Call& call);
  // Until it is done; throws what it threw. All exchanges started before it
  // must have been released to the end.
  void wait(Call& call);
  // Both.
  void call(std::function<void()> work);
  // Until all that was started is over. The same holds as for wait.
  void drain() { call({}); }
  // Nothing that was started is left to do: whoever owns this may use the
  // communicator until it starts the next.
  bool is_idle();
  // Gives up what was started and is not over, without waiting for any peer.
  // If there was such, or the owner itself was `amid` something, the peers'
  // messages are in the air, and whatever is started from then on fails.
  // Nobody is in wait(). Whether that is so.
  bool abandon(bool amid = false);

 private:
  struct Job {
    Exchange* exchange = nullptr;
    Call* call = nullptr;
  };

  void run();
  void push(Job job);
  static void fail(const Job& job, const std::exception_ptr& error);
  // False at the end.
  bool take(Job& job);

  Communicator& communicator_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::array<Job, kMostExchanges + 2> jobs_; // a ring
  size_t first_ = 0;
  size_t count_ = 0;
  Exchange* running_ = nullptr;
  bool busy_ = false;
  bool stop_ = false;
  std::exception_ptr abandoned_;

  std::thread thread_; // last: it uses the others
};

} // namespace grapevine::mix
