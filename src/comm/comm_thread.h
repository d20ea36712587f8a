// The thread that talks: exchanges and calls run on it one after the other, in
// the order in which they were asked for.
//
// A communicator is used by one thread at a time; with this, that thread is
// always the same one. Whoever owns this asks from one thread.
#pragma once

#include "comm/communicator.h"
#include "comm/exchange.h"

#include <array>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace grapevine::comm {

class CommThread {
 public:
  // Borrows the communicator, which nobody else may use from now on.
  explicit CommThread(Communicator& communicator);
  // Gives up what is not finished, without waiting for any peer. So whoever
  // ends in good order calls drain first.
  ~CommThread();
  CommThread(const CommThread&) = delete;
  CommThread& operator=(const CommThread&) = delete;

  // Runs the exchange, which was opened and stays where it is until it is
  // over; returns at once. At most kMostExchanges may be open.
  static constexpr size_t kMostExchanges = 4;
  void start(Exchange& exchange);

  // Runs `work` behind everything started before, waits for it, and throws
  // what it throws. All exchanges started must have been released to the end.
  void call(const std::function<void()>& work);

  // Until all that was started is over. The same holds as for call.
  void drain() { call({}); }

 private:
  struct Job {
    Exchange* exchange = nullptr;
    const std::function<void()>* work = nullptr;
  };

  void run();
  void push(Job job);
  // False at the end.
  bool take(Job& job);

  Communicator& communicator_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::array<Job, kMostExchanges + 1> jobs_; // a ring
  size_t first_ = 0;
  size_t count_ = 0;
  Exchange* running_ = nullptr;
  bool busy_ = false;
  std::exception_ptr error_; // of the last call
  bool stop_ = false;

  std::thread thread_; // last: it uses the others
};

} // namespace grapevine::comm
