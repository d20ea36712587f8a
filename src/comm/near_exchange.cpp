#include "comm/near_exchange.h"

#include "base/check.h"

#include <utility>

namespace grapevine::comm {

void NearExchange::open(
    Link& link,
    Windows& windows,
    InboxExecutor& executor,
    ExchangeRequest request) {
  GV_CHECK(request.in_place && executor.is_all_near());
  link_ = &link;
  windows_ = &windows;
  executor_ = &executor;
  request_ = std::move(request);
  posted_ = 0;
  finished_ = 0;
  traffic_ = executor.traffic();
  waited_for_ = -1;
  longest_ = {};
  waited_seconds_ = 0;
  link.take_longest_wait();
  link.take_waited_seconds();
  link.set_step(request_.step);
  const Cut& cut = *request_.cut;
  windows.begin(cut.id, static_cast<int64_t>(cut.chunks.size()));
  mix_ = executor.terms_of(windows, {}, request_.plane.data(), terms_);
}

InboxExecutor::Place NearExchange::place() const {
  return {
      .link = *link_,
      .windows = windows_,
      .value = request_.plane.data(),
      .inboxes = {},
      .in_place = &mix_};
}

template <typename Body>
void NearExchange::run(const Body& body) {
  const auto start = Clock::now();
  link_->run("exchange", body);
  const std::chrono::duration<double> taken = Clock::now() - start;
  busy_seconds_ += taken.count();
  waited_seconds_ += link_->take_waited_seconds();
  const PeerWait longest = link_->take_longest_wait();
  if (longest.seconds > longest_.seconds) longest_ = longest;
}

void NearExchange::release(int bucket) {
  const int64_t end = request_.cut->bucket_end[bucket];
  if (finished_ >= end) return;
  run([&] {
    if (posted_ == 0) first_sent_ = Clock::now();
    for (; posted_ < end; ++posted_) {
      windows_->give_back(posted_); // of an exchange that was not in place
      executor_->post(place(), posted_);
    }
    // For what is not there nobody is waited yet.
    while (finished_ < posted_ && executor_->is_there(place(), finished_))
      finish_until(finished_ + 1);
  });
}

double NearExchange::wait(int bucket) {
  const int64_t end = request_.cut->bucket_end[bucket];
  if (finished_ < end) {
    GV_CHECK_GE(posted_, end);
    run([&] { finish_until(end); });
  }
  waited_for_ = std::exchange(longest_, {}).peer;
  return std::exchange(waited_seconds_, 0);
}

void NearExchange::finish() {
  // Another may be at the communicator then.
  if (finished_ == posted_) return;
  run([&] { finish_until(posted_); });
}

void NearExchange::finish_until(int64_t end) {
  for (; finished_ < end; ++finished_)
    executor_->finish(place(), finished_);
  last_received_ = Clock::now();
}

} // namespace grapevine::comm
