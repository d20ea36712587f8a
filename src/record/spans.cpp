#include "record/spans.h"

#include "base/check.h"

namespace grapevine::record {

std::string_view name(Span span) {
  switch (span) {
    case Span::kData:
      return "data";
    case Span::kForward:
      return "forward";
    case Span::kBackward:
      return "backward";
    case Span::kUpdate:
      return "update";
    case Span::kExchange:
      return "exchange";
    case Span::kWait:
      return "wait";
    case Span::kEvaluate:
      return "evaluate";
  }
  GV_CHECK(false);
}

double Spans::total() const {
  double sum = 0;
  for (const double seconds : seconds_)
    sum += seconds;
  return sum;
}

void Spans::merge(const Spans& other) {
  for (const Span span : kAllSpans)
    add(span, other.seconds(span));
}

} // namespace grapevine::record
