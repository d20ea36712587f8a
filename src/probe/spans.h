// Where a worker's time goes.
//
//   Spans spans;
//   {
//     const SpanTimer timer(spans, Span::kForward);
//     loss = forward(batch);
//   }
//
// Seconds of real time. Fixed size, no allocation, so fit for the step path.
// Not shared between threads: each has its own, merged at the end of an epoch.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

namespace grapevine::probe {

enum class Span {
  kData, // waiting for a batch
  kForward,
  kBackward,
  kUpdate,
  kExchange, // moving and combining planes
  kWait,     // for peers
  kEvaluate,
};

inline constexpr std::array kAllSpans = {
    Span::kData,
    Span::kForward,
    Span::kBackward,
    Span::kUpdate,
    Span::kExchange,
    Span::kWait,
    Span::kEvaluate,
};

// As in the records: "data", "forward", …
std::string_view name(Span span);

class Spans {
 public:
  void add(Span span, double seconds) { seconds_[index(span)] += seconds; }
  double seconds(Span span) const { return seconds_[index(span)]; }
  // Over all spans.
  double total() const;
  void merge(const Spans& other);

 private:
  static size_t index(Span span) { return static_cast<size_t>(span); }

  std::array<double, kAllSpans.size()> seconds_{};
};

// Adds the time from its construction to its end. Timers that are nested
// count the inner time twice.
class SpanTimer {
 public:
  SpanTimer(Spans& spans, Span span)
      : spans_(spans),
        span_(span),
        start_(Clock::now()) {}
  ~SpanTimer() {
    spans_.add(
        span_,
        std::chrono::duration<double>(Clock::now() - start_).count());
  }
  SpanTimer(const SpanTimer&) = delete;
  SpanTimer& operator=(const SpanTimer&) = delete;

 private:
  using Clock = std::chrono::steady_clock;

  Spans& spans_;
  Span span_;
  Clock::time_point start_;
};

} // namespace grapevine::probe
