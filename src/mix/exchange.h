// A plane on its way through a plan, bucket by bucket, while its owner
// computes.
//
// Three ways to move it, behind one interface:
//
//   mix/virtual_workers.cpp   all workers of a virtual cluster at once
//   mix/thread_exchange.h     a communication thread of the worker
//   mix/inline_exchange.h     the worker's training thread itself, through
//                             shared memory
//
// One thread uses an exchange, but for release and wait of different workers
// that this process hosts.
#pragma once

#include "mix/clock.h"
#include "mix/cut.h"
#include "mix/link.h"
#include "mix/plan.h"
#include "tensor/kernels/mix_terms.h"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace grapevine::mix {

// Each hosted worker, named by its index, releases its buckets in ascending
// order, from the thread that computes it; when all have, settle is called
// once; and each waits for its buckets in ascending order.
class Exchange {
 public:
  virtual ~Exchange() = default;

  // A plane in which the worker may write the value of a bucket, all of it,
  // before it releases it, so that it need not be read again to be sent: as
  // well as in the exchanged plane or, in place, instead. Or null.
  virtual float* outbox(int /*index*/, int /*bucket*/) { return nullptr; }
  // The buckets up to this one are final.
  virtual void release(int index, int bucket) = 0;
  virtual void settle() {}
  // Returns, when the result of the bucket is there and nothing reads its value
  // any more, what takes the place of the plane's value; in place: no terms.
  // Valid until the bucket is released the next time. Throws what ended the
  // exchange.
  virtual tensor::MixTerms wait(int index, int bucket) = 0;
};

struct ExchangeSpec {
  std::shared_ptr<const Plan> plan;
  std::shared_ptr<const Cut> cut;
  std::span<float> plane;
  // The result replaces the value in the plane; else it is handed out as
  // terms, and the plane is only read.
  bool in_place = true;
  int64_t step = -1; // for error messages
};

// What moving planes has cost the workers that a process hosts.
struct MixCosts {
  // Sent in mixings, sums, and the exchanges that have been waited for.
  Traffic traffic;
  // Core-seconds spent on moving and combining planes, and on waiting for
  // peers meanwhile. Where exchanges overlap with computing, so does this.
  double exchange_seconds = 0;
  // Seconds in which hosted workers could not go on, for want of a result.
  double wait_seconds = 0;
  // The following are known of a worker that has a process to itself.
  std::vector<double> waits; // wait_seconds by the peer that was waited for
  int waited_for = -1;       // whom the last wait was for, or -1
  // When the last exchange that was waited for to its end was in progress.
  Clock::time_point first_sent;
  Clock::time_point last_received;
};

// An exchange of one worker with workers in other processes.
class PeerExchange : public Exchange {
 public:
  // costs: what waits are added to; has room for all workers' waits.
  explicit PeerExchange(MixCosts& costs) : costs_(costs) {}

  tensor::MixTerms wait(int index, int bucket) final;

  // Its last bucket was not waited for so far.
  bool is_open() const { return is_open_; }
  // The results that were not waited for are not wanted.
  void drop() { is_open_ = false; }
  const ExchangeSpec& spec() const { return spec_; }
  // What the whole exchange sends; known once a bucket was waited for.
  Traffic traffic() const { return traffic_; }

 protected:
  void open_with(ExchangeSpec spec) {
    spec_ = std::move(spec);
    is_open_ = true;
  }
  // Returns the peer that kept the bucket longest, or -1, with the seconds that
  // the owner had to wait.
  virtual PeerWait wait_for(int bucket) = 0;
  virtual tensor::MixTerms terms() const = 0;

  ExchangeSpec spec_;
  Traffic traffic_;
  // When the first chunk was sent and the last result was there.
  Clock::time_point first_sent_;
  Clock::time_point last_received_;

 private:
  MixCosts& costs_;
  bool is_open_ = false;
};

} // namespace grapevine::mix
