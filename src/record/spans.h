// Where a worker's time goes.
//
//   Spans spans;
//   {
//     const SpanTimer timer(spans, Span::kForward);
//     loss = forward(batch);
//   }
//
// Seconds of real time, and, while its timeline is open, what was done when.
// The sums are of fixed size and never allocate, so fit for the step path. Not
// shared between threads: each has its own, merged at the end of an epoch.
#pragma once

#include "record/span.h"
#include "record/timeline.h"

#include <array>
#include <chrono>
#include <cstddef>

namespace grapevine::record {

class Spans {
 public:
  void add(Span span, double seconds) { seconds_[index(span)] += seconds; }
  double seconds(Span span) const { return seconds_[index(span)]; }
  // Over all spans.
  double total() const;
  // The sums; the timelines stay as they are.
  void merge(const Spans& other);
  void clear() { seconds_ = {}; }

  Timeline& timeline() { return timeline_; }

 private:
  static size_t index(Span span) { return static_cast<size_t>(span); }

  std::array<double, kAllSpans.size()> seconds_{};
  Timeline timeline_;
};

// Books the time from its construction to its end. Timers that are nested
// count the inner time twice, unless it is left out.
class SpanTimer {
 public:
  SpanTimer(Spans& spans, Span span)
      : spans_(spans),
        span_(span),
        begin_(Event::Clock::now()) {}
  ~SpanTimer() {
    const auto end = Event::Clock::now();
    spans_.add(
        span_,
        std::chrono::duration<double>(end - begin_).count() - left_out_);
    spans_.timeline().add({.span = span_, .begin = begin_, .end = end});
  }
  SpanTimer(const SpanTimer&) = delete;
  SpanTimer& operator=(const SpanTimer&) = delete;

  // So much of the time is booked by others. The timeline shows it inside.
  void leave_out(double seconds) { left_out_ += seconds; }

 private:
  Spans& spans_;
  Span span_;
  Event::Clock::time_point begin_;
  double left_out_ = 0;
};

} // namespace grapevine::record
