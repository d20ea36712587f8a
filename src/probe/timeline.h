// What a worker did when, in the steps that are looked at closely.
//
//   Timeline timeline;
//   timeline.open();                              // from now on it listens
//   timeline.add({Span::kForward, begin, end});
//   records.append(timeline.events() …);
//   timeline.close();
//
// Real time. One thread at a time.
#pragma once

#include "probe/span.h"

#include <chrono>
#include <span>
#include <vector>

namespace grapevine::probe {

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
  void open() {
    events_.clear();
    is_open_ = true;
  }
  void close() { is_open_ = false; }
  bool is_open() const { return is_open_; }
  // Does nothing while closed.
  void add(const Event& event) {
    if (is_open_) events_.push_back(event);
  }
  std::span<const Event> events() const { return events_; }

 private:
  std::vector<Event> events_;
  bool is_open_ = false;
};

} // namespace grapevine::probe
