#include "net/shaped/link_table.h"

#include "base/error.h"
#include "net/shaped/link_table_layout.h"

#include <fmt/format.h>
#include <sched.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

namespace grapevine::net {
namespace {

constexpr double kNotYet = -1;
// Of a byte: what rounding may leave of a backlog.
constexpr double kNothing = 1e-3;
// How many streams may drain before a prediction is given up; it is then a
// bound, and asked for again at that time.
constexpr int kMostEvents = 32;
// Seconds: a session takes microseconds, but its process may be stopped.
constexpr int kLongestHold = 30;
// Seconds: when to ask again for a message that may not move yet.
constexpr double kLookAgain = 1e-3;

// pthread_mutex_clocklock, but in words that the thread sanitizer knows. The
// lock is held for microseconds, so it is soon free or its holder is stopped.
int lock_in_time(pthread_mutex_t* mutex) {
  constexpr int kYields = 100;
  const double until = monotonic_seconds() + kLongestHold;
  for (int turn = 0;; ++turn) {
    const int code = pthread_mutex_trylock(mutex);
    if (code != EBUSY) return code;
    if (monotonic_seconds() > until) return ETIMEDOUT;
    if (turn < kYields) {
      sched_yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }
}

} // namespace

LinkTable::Session::Session(LinkTable& table) : table_(table) {
  pthread_mutex_t* mutex = &table_.header_->mutex;
  const int code = lock_in_time(mutex);
  if (code == ETIMEDOUT) {
    throw TimeoutError(fmt::format(
        "timed out: a worker has held the table of links for {} s",
        kLongestHold));
  }
  if (code == EOWNERDEAD) {
    pthread_mutex_consistent(mutex);
  } else if (code != 0) {
    throw TransportError(fmt::format(
        "the table of links cannot be locked: {}",
        std::strerror(code)));
  }
  advance(monotonic_seconds());
}

LinkTable::Session::~Session() {
  pthread_mutex_unlock(&table_.header_->mutex);
}

double LinkTable::Session::now() const {
  return table_.header_->clock;
}

void LinkTable::Session::begin_link(int from, int to, uint64_t number) {
  table_.stream(from, to) = Stream{.link = number};
}

uint64_t LinkTable::Session::link(int from, int to) const {
  return table_.stream(from, to).link;
}

void LinkTable::Session::gather_flows() {
  const int n = table_.workers_;
  table_.flows_.clear();
  for (int index = 0; index < n * n; ++index) {
    const Stream& stream = table_.streams_[index];
    const double backlog = stream.allowed() - stream.delivered;
    if (backlog <= kNothing) continue;
    table_.flows_.push_back(
        {.from = table_.node_of(index / n),
         .to = table_.node_of(index % n),
         .backlog = backlog,
         .stream = index,
         .limit = table_.limits_[index].bytes_per_second * kPayloadShare});
  }
}

void LinkTable::Session::stamp(int index, double delivered, double rate) {
  const int n = table_.workers_;
  Stream& stream = table_.streams_[index];
  const double clock = table_.header_->clock;
  for (; stream.stamped < stream.appended; ++stream.stamped) {
    Entry& entry = table_.entry(index / n, index % n, stream.stamped);
    const double ahead = static_cast<double>(entry.end) - stream.delivered;
    if (static_cast<double>(entry.end) > delivered + kNothing) return;
    entry.finish = clock + (ahead > 0 ? ahead / rate : 0);
  }
}

void LinkTable::Session::move(double seconds, bool for_real) {
  for (Flow& flow : table_.flows_) {
    const double moved = std::min(flow.backlog, flow.rate * seconds);
    flow.backlog -= moved;
    if (!for_real) continue;
    Stream& stream = table_.streams_[flow.stream];
    double delivered = stream.delivered + moved;
    if (flow.backlog <= kNothing) delivered = stream.allowed();
    stamp(flow.stream, delivered, flow.rate);
    stream.delivered = delivered;
  }
  std::erase_if(table_.flows_, [](const Flow& flow) {
    return flow.backlog <= kNothing;
  });
}

void LinkTable::Session::advance(double now) {
  double& clock = table_.header_->clock;
  if (now <= clock) return;
  gather_flows();
  while (clock < now && !table_.flows_.empty()) {
    table_.fluid_.share(table_.flows_);
    const double left = now - clock;
    const double first = Fluid::first_drained(table_.flows_);
    move(std::min(first, left), true);
    clock = first < left ? clock + first : now;
  }
  clock = now;
}

void LinkTable::Session::settle(int from, int to) {
  Stream& stream = table_.stream(from, to);
  const int index = from * table_.workers_ + to;
  if (!std::isfinite(table_.node_rate_) &&
      !std::isfinite(table_.limits_[index].bytes_per_second)) {
    stream.delivered = std::max(stream.delivered, stream.allowed());
  }
  stamp(index, stream.delivered, 1);
}

std::optional<int64_t>
LinkTable::Session::append(int from, int to, Tag tag, int64_t bytes) {
  Stream& stream = table_.stream(from, to);
  const int64_t low = std::min(stream.sender_low, stream.receiver_low);
  if (stream.appended - low >= kLogLength) return std::nullopt;
  const int64_t end = stream.posted + bytes;
  table_.entry(from, to, stream.appended) = {end, kNotYet, tag};
  stream.posted = end;
  const int64_t index = stream.appended++;
  settle(from, to);
  return index;
}

void LinkTable::Session::want(int from, int to, int64_t bytes) {
  table_.stream(from, to).wanted += bytes;
  settle(from, to);
}

void LinkTable::Session::want_up_to(int from, int to, int64_t end) {
  Stream& stream = table_.stream(from, to);
  if (stream.wanted >= end) return;
  stream.wanted = end;
  settle(from, to);
}

int64_t LinkTable::Session::appended(int from, int to) const {
  return table_.stream(from, to).appended;
}

const LinkTable::Entry&
LinkTable::Session::entry(int from, int to, int64_t index) const {
  return table_.entry(from, to, index);
}

void LinkTable::Session::sender_has_read(int from, int to, int64_t low) {
  table_.stream(from, to).sender_low = low;
}

void LinkTable::Session::receiver_has_read(int from, int to, int64_t low) {
  table_.stream(from, to).receiver_low = low;
}

double LinkTable::Session::earliest_finish(int from, int to, int64_t end) {
  const Stream& stream = table_.stream(from, to);
  const int index = from * table_.workers_ + to;
  double time = now();
  if (end < 0) return time + kLookAgain;
  double missing = static_cast<double>(end) - stream.delivered;
  gather_flows();
  for (int event = 0; event < kMostEvents && missing > kNothing; ++event) {
    const auto mine = std::ranges::find(table_.flows_, index, &Flow::stream);
    if (mine == table_.flows_.end()) return time + kLookAgain;
    table_.fluid_.share(table_.flows_);
    const double own = missing / mine->rate;
    const double first = Fluid::first_drained(table_.flows_);
    if (own <= first) return time + own;
    missing -= mine->rate * first;
    move(first, false);
    time += first;
  }
  return time;
}

} // namespace grapevine::net
