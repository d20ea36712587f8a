// A plane on its way through a plan, bucket by bucket, while its owner
// computes.
//
// Two threads meet here. The owner (the training thread) opens an exchange,
// releases its buckets in order as their values become final, and waits for
// results when it needs them. The communication thread (mix/comm_thread.h)
// runs it: a chunk is read and sent once its bucket is released, and its
// result announced once it is there. So the owner never moves data, and waits
// only for what it cannot go on without.
//
// The first error ends the exchange: wait() throws it.
#pragma once

#include "base/range.h"
#include "mix/chunks.h"
#include "mix/link.h"
#include "mix/plan.h"
#include "mix/traffic.h"
#include "tensor/kernels/mix_terms.h"

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace grapevine::mix {

// Chunks grouped into buckets. Immutable and shared.
struct Cut {
  uint64_t id = 0; // differs between any two cuts of a process
  std::vector<Range> chunks;
  std::vector<int64_t> bucket_end; // of each bucket: its last chunk, plus 1

  int buckets() const { return static_cast<int>(bucket_end.size()); }
};
// buckets[b]: the ranges of bucket b; they are cut where they are longer than
// chunk_bytes.
std::shared_ptr<const Cut> make_cut(
    std::span<const std::vector<Range>> buckets,
    int64_t chunk_bytes);

struct ExchangeSpec {
  std::shared_ptr<const Plan> plan;
  std::shared_ptr<const Cut> cut;
  std::span<float> plane;
  // The result replaces the value in the plane; else it is handed out as
  // terms, and the plane is only read.
  bool in_place = true;
  int64_t step = -1; // for error messages
};

class Exchange : public ChunkEvents {
 public:
  // The owner's side. What was opened is to be run (CommThread::start); if it
  // was opened before, that is over first: its last messages may still be
  // leaving when the last bucket has been waited for.
  void open(ExchangeSpec request);
  // Buckets up to this one are final.
  void release(int bucket);
  // Until the result of the bucket is there and nothing reads its value any
  // more. Returns the seconds that it took. Throws what ended the exchange.
  double wait(int bucket);
  // Whom the last wait was for: the peer that kept the bucket longest, or -1.
  int waited_for() const { return waited_for_; }
  // What takes the place of the plane's value in a bucket that was waited
  // for. In place: nothing.
  tensor::MixTerms terms() const;
  // What the whole exchange sends; known once a bucket was waited for.
  Traffic traffic() const { return traffic_; }
  // Once the last bucket was waited for: when the first chunk was sent and the
  // last result was there.
  using Clock = std::chrono::steady_clock;
  Clock::time_point first_sent() const { return first_sent_; }
  Clock::time_point last_received() const { return last_received_; }
  // That the communication thread has spent on this so far, in all uses, but
  // for waiting for a release.
  double busy_seconds() const { return busy_seconds_; }

  // The communication thread's side. First of all, before anything is
  // announced: what the result is made of, and what is sent for it.
  const ExchangeSpec& request() const { return request_; }
  void
  begin(Link& link, const tensor::MixTerms& result, const Traffic& traffic);
  void before(int64_t c) override;
  void after(int64_t c) override;
  void finish(const std::exception_ptr& error);

  // From any thread: whatever waits here throws.
  void cancel();

 private:
  void throw_if_over() const; // wants mutex_
  void stop_clock();

  ExchangeSpec request_;
  std::atomic<double> busy_seconds_ = 0;
  // The communication thread's.
  Link* link_ = nullptr;
  Clock::time_point busy_since_;
  std::array<const float*, 8> terms_{};
  size_t terms_count_ = 0;
  std::span<const float> weights_;
  float scale_ = 1;
  Traffic traffic_;
  int waited_for_ = -1; // the owner's

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  int64_t released_ = 0;          // chunks
  int64_t done_ = 0;              // chunks
  std::vector<PeerWait> kept_by_; // of each chunk
  Clock::time_point first_sent_;
  Clock::time_point last_received_;
  std::exception_ptr error_;
  bool is_open_ = false; // until it is finished
  bool cancelled_ = false;
};

} // namespace grapevine::mix
