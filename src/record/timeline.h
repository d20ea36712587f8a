// What a worker did when, in the steps that are looked at closely.
//
//   Timeline timeline;
//   timeline.listen(true);                        // anew
//   timeline.add({Span::kForward, begin, end});
//   records.append(timeline.events() …);
//
// Real time. One thread at a time.
#pragma once

#include "record/span.h"

#include <chrono>
#include <span>
#include <vector>

namespace grapevine::record {

struct Event {
  using Clock = std::chrono::steady_clock;
  Span span = Span::kData;
  Clock::time_point begin;
  Clock::time_point end;
  int peer = -1;   // wait: whom for, where that is known
  int bucket = -1; // update, wait
};

class Timeline {
 public:
  // Forgets what it has; from now on it takes what it is told, or does not.
  void listen(bool listens) {
    events_.clear();
    listens_ = listens;
  }
  bool listens() const { return listens_; }
  // Does nothing while it does not listen.
  void add(const Event& event) {
    if (listens_) events_.push_back(event);
  }
  std::span<const Event> events() const { return events_; }

 private:
  std::vector<Event> events_;
  bool listens_ = false;
};

} // namespace grapevine::record
