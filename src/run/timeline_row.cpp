#include "run/timeline_row.h"

#include <chrono>
#include <cmath>

namespace grapevine::run {
namespace {

using Clock = record::Event::Clock;

int64_t microseconds(Clock::time_point when) {
  static const auto offset =
      std::chrono::system_clock::now().time_since_epoch() -
      Clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(
             when.time_since_epoch() + offset)
      .count();
}

int64_t microseconds(double seconds) {
  return std::llround(seconds * 1e6);
}

} // namespace

TimelineRow row_of(const record::Event& event) {
  const int64_t begin = microseconds(event.begin);
  return {
      .span = record::name(event.span),
      .begin = begin,
      .duration = microseconds(event.end) - begin,
      .bucket = event.bucket,
      .peer = event.peer};
}

std::vector<TimelineRow> timeline_rows(const record::Timeline& timeline) {
  std::vector<TimelineRow> rows;
  for (const record::Event& event : timeline.events())
    rows.push_back(row_of(event));
  return rows;
}

TimelineRow
virtual_row(std::string_view span, double begin, double end, int peer) {
  return {
      .span = span,
      .begin = microseconds(begin),
      .duration = microseconds(end) - microseconds(begin),
      .peer = peer};
}

bool is_traced(const spec::Spec& spec, int64_t step) {
  return spec.trace_every > 0 && step % spec.trace_every < 2;
}

} // namespace grapevine::run
