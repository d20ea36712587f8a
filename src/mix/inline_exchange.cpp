#include "mix/inline_exchange.h"

#include "base/check.h"

#include <utility>

namespace grapevine::mix {

void InlineExchange::open(
    Link& link,
    Windows& windows,
    InboxExecutor& executor,
    ExchangeSpec spec) {
  GV_CHECK(executor.is_all_near());
  link_ = &link;
  windows_ = &windows;
  executor_ = &executor;
  open_with(std::move(spec));
  claimed_ = 0;
  posted_ = 0;
  finished_ = 0;
  traffic_ = executor.traffic();
  longest_ = {};
  waited_seconds_ = 0;
  const Cut& cut = *spec_.cut;
  number_ = windows.begin(cut.id, static_cast<int64_t>(cut.chunks.size()));
  if (!is_in_place()) windows.lend(executor.near_sources());
  // In place, what is in the outbox may be all that there is of it.
  const float* value = is_in_place() && executor.has_near_readers()
                           ? windows.outbox_of(link.rank(), number_)
                           : spec_.plane.data();
  mix_ = executor.terms_of(windows, number_, {}, value, terms_);
}

InboxExecutor::Place InlineExchange::place() const {
  return {
      .link = *link_,
      .windows = windows_,
      .exchange = number_,
      .value = spec_.plane.data(),
      .inboxes = {},
      .in_place = is_in_place() ? &mix_ : nullptr};
}

template <typename Body>
void InlineExchange::run(const Body& body) {
  const auto start = Clock::now();
  // What others have waited for meanwhile is not this exchange's.
  link_->take_longest_wait();
  link_->take_waited_seconds();
  link_->set_step(spec_.step);
  link_->run("exchange", body);
  busy_seconds_ += seconds_since(start);
  waited_seconds_ += link_->take_waited_seconds();
  const PeerWait longest = link_->take_longest_wait();
  if (longest.seconds > longest_.seconds) longest_ = longest;
}

float* InlineExchange::outbox(int /*index*/, int bucket) {
  if (!executor_->has_near_readers()) return nullptr;
  GV_CHECK_EQ(number_, windows_->newest());
  GV_CHECK_EQ(claimed_, posted_);
  float* outbox = nullptr;
  run([&] {
    for (; claimed_ < spec_.cut->bucket_end[bucket]; ++claimed_)
      outbox = executor_->claim(place(), claimed_);
  });
  return outbox;
}

void InlineExchange::release(int /*index*/, int bucket) {
  const int64_t end = spec_.cut->bucket_end[bucket];
  if (posted_ >= end) return;
  GV_CHECK_EQ(number_, windows_->newest());
  run([&] {
    if (posted_ == 0) first_sent_ = Clock::now();
    for (; posted_ < end; ++posted_) {
      windows_->give_back(posted_); // of an exchange that was not in place
      if (posted_ < claimed_) {
        windows_->publish(posted_);
      } else {
        executor_->post(place(), posted_);
      }
    }
    claimed_ = posted_;
    // For what is not there nobody is waited yet.
    while (finished_ < posted_ && executor_->is_there(place(), finished_))
      finish_until(finished_ + 1);
  });
}

PeerWait InlineExchange::wait_for(int bucket) {
  const int64_t end = spec_.cut->bucket_end[bucket];
  if (finished_ < end) {
    GV_CHECK_GE(posted_, end);
    run([&] { finish_until(end); });
  }
  const int peer = std::exchange(longest_, {}).peer;
  return {peer, std::exchange(waited_seconds_, 0)};
}

void InlineExchange::finish() {
  // Another may be at the communicator then.
  if (finished_ == posted_) return;
  run([&] { finish_until(posted_); });
}

void InlineExchange::finish_until(int64_t end) {
  for (; finished_ < end; ++finished_)
    executor_->finish(place(), finished_);
  last_received_ = Clock::now();
}

tensor::MixTerms InlineExchange::terms() const {
  return is_in_place() ? tensor::MixTerms{} : mix_;
}

} // namespace grapevine::mix
