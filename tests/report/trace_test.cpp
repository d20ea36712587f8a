// Traces of runs whose timelines were made up.
#include "report/trace.h"
#include "base/error.h"
#include "record/record_writer.h"
#include "record/temporary_directory.h"
#include "report/report.h"
#include "report/run_generator.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace grapevine::report {
namespace {

using nlohmann::json;

constexpr int64_t kBegin = 1'700'000'000'000'000;

json event(const char* span, int64_t begin, int64_t duration) {
  return json::array({span, begin, duration, -1, -1});
}

// What a worker that overlaps does in a step of 10 ms, from `begin` on.
json step_events(int64_t begin, int peer) {
  return json::array(
      {event("data", begin, 100),
       event("forward", begin + 100, 3000),
       json::array({"wait", begin + 4000, 500, 0, peer}),
       json::array({"update", begin + 4500, 250, 0, -1}),
       json::array({"update", begin + 6000, 250, 1, -1}),
       event("backward", begin + 3100, 6000),
       event("exchange", begin - 2000, 6400)});
}

json timeline(int worker, int64_t step, int64_t begin, int peer) {
  return {
      {"type", "timeline"},
      {"worker", worker},
      {"step", step},
      {"events", step_events(begin, peer)}};
}

json attempt(int number, int64_t step, int worker) {
  return {
      {"type", "attempt"},
      {"attempt", number},
      {"step", step},
      {"workers", json::array({worker})}};
}

// Whether each of [begin, end) lies within the one around it.
bool is_nested(std::vector<std::pair<int64_t, int64_t>> spans) {
  std::ranges::sort(spans, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  });
  std::vector<int64_t> ends;
  for (const auto& [begin, end] : spans) {
    while (!ends.empty() && ends.back() <= begin)
      ends.pop_back();
    if (!ends.empty() && end > ends.back()) return false;
    ends.push_back(end);
  }
  return true;
}

class TraceTest : public testing::Test {
 protected:
  TraceTest() { run_.create(); }

  void append(int process, const std::vector<json>& records) const {
    record::RecordWriter writer(run_.records(process));
    for (const json& record : records)
      writer.append(record);
  }
  json trace() const {
    EXPECT_GT(write_trace(run_, file_), 0);
    return json::parse(record::get(file_));
  }
  // Of phase "X".
  static std::vector<json> complete(const json& trace) {
    std::vector<json> events;
    for (const json& event : trace.at("traceEvents")) {
      if (event.at("ph") == "X") events.push_back(event);
    }
    return events;
  }

  record::TemporaryDirectory directory_;
  record::RunDirectory run_{directory_ / "run"};
  std::filesystem::path file_ = directory_ / "trace.json";
};

TEST_F(TraceTest, EventsOfAllWorkers) {
  append(0, {attempt(0, 0, 0), timeline(0, 0, kBegin + 2000, 1)});
  append(1, {attempt(0, 0, 1), timeline(1, 7, kBegin + 5000, 0)});
  const auto events = complete(trace());
  ASSERT_EQ(events.size(), 14u);
  const json wait = {
      {"name", "wait"},
      {"ph", "X"},
      {"pid", 0},
      {"tid", 0},
      {"ts", 6000},
      {"dur", 500},
      {"args", {{"step", 0}, {"bucket", 0}, {"peer", 1}}}};
  EXPECT_EQ(events[2], wait);
  const json exchange = {
      {"name", "exchange"},
      {"ph", "X"},
      {"pid", 0},
      {"tid", 1},
      {"ts", 0},
      {"dur", 6400},
      {"args", {{"step", 0}}}};
  EXPECT_EQ(events[6], exchange);
  EXPECT_EQ(events[7].at("pid"), 1);
  EXPECT_EQ(events[7].at("ts"), 5000);
  EXPECT_EQ(events[7].at("args").at("step"), 7);
}

// As averagings without a clock; Perfetto hardly shows a span of no width.
TEST_F(TraceTest, AveragingsThatTakeNoTimeAreInstants) {
  append(
      0,
      {attempt(0, 0, 0),
       {{"type", "timeline"},
        {"worker", 0},
        {"step", 3},
        {"events", {{"exchange", kBegin, 0, -1, 1}}}}});
  const json instant = {
      {"name", "exchange"},
      {"ph", "i"},
      {"s", "t"},
      {"pid", 0},
      {"tid", 1},
      {"ts", 0},
      {"args", {{"step", 3}, {"peer", 1}}}};
  EXPECT_EQ(trace().at("traceEvents").back(), instant);
}

TEST_F(TraceTest, WorkersAndThreadsHaveNames) {
  append(0, {attempt(0, 0, 0), timeline(0, 0, kBegin, 1)});
  append(3, {attempt(0, 0, 3), timeline(3, 0, kBegin, 1)});
  append(3, {timeline(3, 1, kBegin + 20000, 1)});
  std::multiset<std::string> names;
  const json trace = this->trace();
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "M" || event.at("name") == "process_sort_index") {
      continue;
    }
    names.insert(event.at("args").at("name").get<std::string>());
  }
  EXPECT_EQ(
      names,
      (std::multiset<std::string>{
          "worker 0",
          "worker 3",
          "training",
          "training",
          "communication",
          "communication"}));
}

TEST_F(TraceTest, EventsOfAThreadAreNestedOrDisjoint) {
  for (int worker = 0; worker < 3; ++worker) {
    append(worker, {attempt(0, 0, worker)});
    for (int64_t step = 0; step < 4; ++step) {
      const int64_t begin = kBegin + 10000 * step + 777 * worker;
      append(worker, {timeline(worker, step, begin, (worker + 1) % 3)});
    }
  }
  std::map<std::pair<int, int>, std::vector<std::pair<int64_t, int64_t>>> spans;
  for (const json& event : complete(trace())) {
    const auto begin = event.at("ts").get<int64_t>();
    EXPECT_GE(begin, 0);
    spans[{event.at("pid").get<int>(), event.at("tid").get<int>()}]
        .emplace_back(begin, begin + event.at("dur").get<int64_t>());
  }
  EXPECT_EQ(spans.size(), 6u);
  for (const auto& [thread, list] : spans)
    EXPECT_TRUE(is_nested(list)) << thread.first << " " << thread.second;
  EXPECT_FALSE(is_nested({{0, 10}, {5, 15}}));
}

TEST_F(TraceTest, SupersededStepsAreLeftOut) {
  append(0, {attempt(0, 0, 0), timeline(0, 0, kBegin + 9000, 1)});
  append(0, {timeline(0, 5, kBegin, 1), attempt(1, 4, 0)}); // clock set back
  append(0, {timeline(0, 4, kBegin + 50000, 1)});
  std::set<int64_t> steps;
  int64_t first = kBegin;
  for (const json& event : complete(trace())) {
    steps.insert(event.at("args").at("step").get<int64_t>());
    first = std::min(first, event.at("ts").get<int64_t>());
  }
  EXPECT_EQ(steps, (std::set<int64_t>{0, 4}));
  EXPECT_EQ(first, 0);
}

TEST_F(TraceTest, WhatIsNoEventIsLeftOut) {
  json broken = timeline(0, 0, kBegin, 1);
  broken["events"].push_back(json::array({"wait", "soon", 1, 0, 0}));
  broken["events"].push_back(json::array({"wait"}));
  broken["events"].push_back(nullptr);
  append(0, {attempt(0, 0, 0), broken});
  append(0, {{{"type", "timeline"}, {"step", 1}, {"events", 7}}});
  EXPECT_EQ(complete(trace()).size(), 7u);
}

// Longer than what is held at once.
TEST_F(TraceTest, LongRunsStayValid) {
  std::vector<json> many = {attempt(0, 0, 0)};
  for (int64_t step = 0; step < 2000; ++step)
    many.push_back(timeline(0, step, kBegin + 10000 * step, 1));
  append(0, many);
  EXPECT_EQ(complete(trace()).size(), 14000u);
  EXPECT_GT(std::filesystem::file_size(file_), size_t{1} << 20);
}

TEST_F(TraceTest, WithoutTimelinesThereIsNoFile) {
  append(0, {attempt(0, 0, 0)});
  EXPECT_EQ(write_trace(run_, file_), 0);
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(TraceTest, AReportTracesOneRunThatHasTimelines) {
  const auto report = [&](const char* name) {
    return write_report({directory_ / name}, {.trace = file_}).trace_events;
  };
  RunGenerator(directory_ / "some" / "a", {}).write();
  EXPECT_THROW(report("some"), Error);
  RunGenerator(directory_ / "some" / "b", {}).write();
  EXPECT_THROW(report("some"), ConfigError);
  EXPECT_FALSE(std::filesystem::exists(file_));
  const record::RunDirectory traced(directory_ / "some" / "a");
  record::RecordWriter(traced.records(0)).append(timeline(0, 3, kBegin, 1));
  EXPECT_EQ(report("some/a"), 7);
}

} // namespace
} // namespace grapevine::report
