#include "record/spans.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

namespace grapevine::record {
namespace {

TEST(Spans, AddTotalMerge) {
  Spans a;
  EXPECT_EQ(a.total(), 0);
  a.add(Span::kData, 1);
  a.add(Span::kData, 0.5);
  a.add(Span::kWait, 2);
  Spans b;
  b.add(Span::kWait, 4);
  b.add(Span::kEvaluate, 8);
  a.merge(b);
  EXPECT_EQ(a.seconds(Span::kData), 1.5);
  EXPECT_EQ(a.seconds(Span::kWait), 6);
  EXPECT_EQ(a.seconds(Span::kEvaluate), 8);
  EXPECT_EQ(a.seconds(Span::kForward), 0);
  EXPECT_EQ(a.total(), 15.5);
}

TEST(Spans, TimerAddsItsLife) {
  Spans spans;
  for (int i = 0; i < 2; ++i) {
    const SpanTimer timer(spans, Span::kExchange);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_GE(spans.seconds(Span::kExchange), 0.010);
  EXPECT_EQ(spans.total(), spans.seconds(Span::kExchange));
}

TEST(Spans, NamesAreThoseOfTheRecords) {
  std::string names;
  for (const Span span : kAllSpans)
    names += std::string(name(span)) + " ";
  EXPECT_EQ(names, "data forward backward update exchange wait evaluate ");
}

} // namespace
} // namespace grapevine::record
