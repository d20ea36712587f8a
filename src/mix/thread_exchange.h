// An exchange that a communication thread moves while its owner computes.
//
// The owner (the training thread) opens it, releases its buckets in order as
// their values become final, and waits for results when it needs them. The
// thread (mix/comm_thread.h) runs it: a chunk is read and sent once its bucket
// is released, and its result announced once it is there. So the owner never
// moves data, and waits only for what it cannot go on without.
//
// The first error ends the exchange: wait() throws it.
#pragma once

#include "mix/comm_thread.h"
#include "mix/communicator.h"
#include "mix/exchange.h"

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <vector>

namespace grapevine::mix {

class ThreadExchange : public PeerExchange,
                       public CommThread::Job,
                       public ChunkEvents {
 public:
  ThreadExchange(Communicator& communicator, MixCosts& costs)
      : PeerExchange(costs),
        communicator_(communicator) {}

  // The owner's side. What was opened is to be started (CommThread::start); if
  // it was opened before, that is over first: its last messages may still be
  // leaving when the last bucket has been waited for.
  void open(ExchangeSpec spec);
  void release(int index, int bucket) override;
  // That the communication thread has spent on this so far, in all uses, but
  // for waiting for a release.
  double busy_seconds() const { return busy_seconds_; }

  // The communication thread's side. First of all, before anything is
  // announced: what the result is made of, and what is sent for it.
  void begin(const tensor::MixTerms& result, const Traffic& traffic);
  void before(int64_t c) override;
  void after(int64_t c) override;

 private:
  void run() override { communicator_.move(*this); }
  void end(const std::exception_ptr& error) override;
  void cancel() override;
  PeerWait wait_for(int bucket) override;
  tensor::MixTerms terms() const override;
  void throw_if_over() const; // wants mutex_
  void stop_clock();

  Communicator& communicator_;
  std::atomic<double> busy_seconds_ = 0;
  // The communication thread's.
  Clock::time_point busy_since_;
  std::array<const float*, InboxExecutor::kMostTerms> terms_{};
  size_t terms_count_ = 0;
  std::span<const float> weights_;
  float scale_ = 1;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_; first_sent_ and last_received_ too.
  int64_t released_ = 0;          // chunks
  int64_t done_ = 0;              // chunks
  std::vector<PeerWait> kept_by_; // of each chunk
  std::exception_ptr error_;
  bool is_running_ = false; // from open to end
  bool cancelled_ = false;
};

} // namespace grapevine::mix
