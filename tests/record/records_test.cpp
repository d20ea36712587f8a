#include "base/check.h"
#include "base/error.h"
#include "record/record_reader.h"
#include "record/record_writer.h"
#include "record/temporary_directory.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <thread>

namespace grapevine::record {
namespace {

using nlohmann::json;

struct Read {
  std::vector<json> records;
  int64_t broken = 0;
};

Read read(const std::filesystem::path& path) {
  Read result;
  result.broken = read_records(path, [&](const json& record) {
    result.records.push_back(record);
  });
  return result;
}

json step(int64_t s) {
  return {{"type", "step"}, {"step", s}};
}

TEST(Records, WrittenAndRead) {
  const TemporaryDirectory directory;
  {
    RecordWriter writer(directory / "r");
    writer.append(step(0));
    EXPECT_EQ(get(directory / "r"), "");
    writer.flush();
    EXPECT_EQ(read(directory / "r").records, std::vector<json>{step(0)});
    writer.append(step(1));
  }
  EXPECT_EQ(
      get(directory / "r"),
      "{\"format_version\":1,\"type\":\"format\"}\n"
      "{\"step\":0,\"type\":\"step\"}\n"
      "{\"step\":1,\"type\":\"step\"}\n");
}

TEST(Records, OpenedAgainTheyGoOn) {
  const TemporaryDirectory directory;
  for (int i = 0; i < 3; ++i)
    RecordWriter(directory / "r").append(step(i));
  const auto [records, broken] = read(directory / "r");
  EXPECT_EQ(records, (std::vector<json>{step(0), step(1), step(2)}));
  EXPECT_EQ(broken, 0);
}

// Wherever a killed process stopped, the lines before and after are read.
TEST(Records, EveryCutIsSurvived) {
  const TemporaryDirectory directory;
  {
    RecordWriter writer(directory / "whole");
    for (int i = 0; i < 3; ++i)
      writer.append(step(i));
  }
  const std::string whole = get(directory / "whole");
  for (size_t size = 0; size <= whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    put(directory / "r", cut);
    const Read before = read(directory / "r");
    const bool ends_whole = cut.empty() || cut.back() == '\n';
    EXPECT_EQ(before.broken, ends_whole ? 0 : 1) << size;

    RecordWriter(directory / "r").append(step(9));
    const Read after = read(directory / "r");
    EXPECT_EQ(after.records.back(), step(9)) << size;
    EXPECT_LE(after.broken, 1) << size;
    EXPECT_GE(after.records.size(), before.records.size() + 1) << size;
  }
}

TEST(Records, BrokenLinesAreCountedAndSkipped) {
  const TemporaryDirectory directory;
  put(directory / "r",
      "{\"type\":\"step\",\"step\":0}\n"
      "{\"type\":\"st\n"
      "\n"
      "[1,2]\n"
      "{\"step\":1}\n"
      "{\"type\":7}\n"
      "\xff\xfe\n"
      "{\"type\":\"step\",\"step\":2}\n"
      "{\"type\":\"step\",\"step\":3}");
  const auto [records, broken] = read(directory / "r");
  EXPECT_EQ(records, (std::vector<json>{step(0), step(2)}));
  EXPECT_EQ(broken, 7);
}

TEST(Records, NotFiniteIsNull) {
  const TemporaryDirectory directory;
  RecordWriter(directory / "r")
      .append(
          {{"type", "step"},
           {"loss",
            {std::nan(""), std::numeric_limits<double>::infinity(), 1.5}}});
  EXPECT_EQ(
      read(directory / "r").records.at(0).at("loss"),
      json({nullptr, nullptr, 1.5}));
}

TEST(Records, NumbersComeBackExactly) {
  const TemporaryDirectory directory;
  const std::vector<double> values =
      {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0};
  RecordWriter(directory / "r").append({{"type", "x"}, {"values", values}});
  EXPECT_EQ(read(directory / "r").records.at(0).at("values"), json(values));
}

TEST(Records, InvalidUtf8IsReplaced) {
  const TemporaryDirectory directory;
  RecordWriter(directory / "r").append({{"type", "x"}, {"name", "a\xff"}});
  EXPECT_EQ(read(directory / "r").records.at(0).at("name"), "a\xef\xbf\xbd");
}

TEST(Records, AnythingWithoutATypeIsABug) {
  const TemporaryDirectory directory;
  RecordWriter writer(directory / "r");
  EXPECT_THROW(writer.append({{"step", 1}}), CheckFailure);
  EXPECT_THROW(writer.append({{"type", 1}}), CheckFailure);
  EXPECT_THROW(writer.append(1), CheckFailure);
}

TEST(Records, ThreadsMayAppend) {
  const TemporaryDirectory directory;
  {
    RecordWriter writer(directory / "r");
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&writer] {
        const std::string text(100, 'x');
        for (int i = 0; i < 1000; ++i) {
          writer.append({{"type", "step"}, {"text", text}});
        }
      });
    }
    threads.clear();
    writer.flush();
  }
  const auto [records, broken] = read(directory / "r");
  EXPECT_EQ(records.size(), 4000u);
  EXPECT_EQ(broken, 0);
}

TEST(Records, CannotBeOpened) {
  const TemporaryDirectory directory;
  EXPECT_THROW_WITH(
      RecordWriter(directory / "absent" / "r"),
      IoError,
      "absent/r");
  EXPECT_THROW_WITH(read(directory / "absent"), IoError, "absent");
}

TEST(Records, AnotherVersionIsRefused) {
  const TemporaryDirectory directory;
  put(directory / "r", "{\"type\":\"format\",\"format_version\":2}\n");
  EXPECT_THROW_WITH(read(directory / "r"), IoError, "format version 2");
}

class RunRecordsTest : public testing::Test {
 protected:
  RunRecordsTest() { run_.create(); }

  void append(int process, const std::vector<json>& records) const {
    RecordWriter writer(run_.records(process));
    for (const json& record : records)
      writer.append(record);
  }

  static json attempt(int number, int64_t step) {
    return {{"type", "attempt"}, {"attempt", number}, {"step", step}};
  }
  // A line that says where it came from.
  static json line(int64_t step, const std::string& mark) {
    return {{"type", "step"}, {"step", step}, {"mark", mark}};
  }
  static json spans(const std::string& mark) {
    return {{"type", "spans"}, {"epoch", 0}, {"mark", mark}};
  }

  // The marks of the lines that count, in order.
  std::string marks() const {
    std::string marks;
    read_run_records(run_, [&](const json& record) {
      marks += record.value("mark", "");
    });
    return marks;
  }

  TemporaryDirectory directory_;
  RunDirectory run_{directory_ / "run"};
};

TEST_F(RunRecordsTest, NoFiles) {
  EXPECT_EQ(marks(), "");
}

TEST_F(RunRecordsTest, OneAttemptCountsWholly) {
  append(0, {attempt(0, 0), line(0, "a"), line(1, "b")});
  EXPECT_EQ(marks(), "ab");
}

TEST_F(RunRecordsTest, ProcessesComeInRankOrder) {
  for (const int process : {10, 2, 0, 1}) {
    append(
        process,
        {attempt(0, 0), line(0, "<" + std::to_string(process) + ">")});
  }
  put(run_.path() / "records" / "process-x.jsonl", "not ours\n");
  EXPECT_EQ(marks(), "<0><1><2><10>");
}

TEST_F(RunRecordsTest, StepsDoneAgainAreSuperseded) {
  append(
      0,
      {attempt(0, 0),
       line(0, "a"),
       line(1, "b"),
       line(2, "c"),
       attempt(1, 1),
       line(1, "B"),
       line(2, "C")});
  EXPECT_EQ(marks(), "aBC");
}

TEST_F(RunRecordsTest, TheEarliestOfSeveralLaterAttemptsRules) {
  append(
      0,
      {attempt(0, 0), line(0, "a"), line(1, "b"), line(2, "c"), line(3, "d")});
  append(0, {attempt(1, 2), line(2, "e"), line(3, "f")});
  append(0, {attempt(2, 1), line(1, "g")});
  append(0, {attempt(3, 2), line(2, "h")});
  EXPECT_EQ(marks(), "agh");
}

TEST_F(RunRecordsTest, StartedAfreshNothingEarlierCounts) {
  append(0, {attempt(0, 0), line(0, "a"), attempt(1, 0), line(0, "b")});
  EXPECT_EQ(marks(), "b");
  int attempts = 0;
  read_run_records(run_, [&](const json& record) {
    attempts += record.at("type") == "attempt";
  });
  EXPECT_EQ(attempts, 1);
}

// Workers that count for themselves: one that comes back, even twice, does its
// own steps again and nobody else's.
TEST_F(RunRecordsTest, OwnStepsAreSupersededInTheirOwnFile) {
  const auto own = [](int number, int64_t step) {
    json record = attempt(number, step);
    record["own_steps"] = true;
    return record;
  };
  append(0, {own(0, 0), line(0, "a"), line(1, "b"), line(2, "c")});
  append(1, {own(0, 0), line(0, "d"), line(1, "e"), line(2, "f")});
  append(1, {own(0, 2), line(2, "g"), line(3, "h")});
  append(1, {own(0, 3), line(3, "i")});
  EXPECT_EQ(marks(), "abcdegi");
}

// Began on three processes, went on in one.
TEST_F(RunRecordsTest, AnAttemptRulesOverFilesThatItDoesNotWrite) {
  for (int process = 0; process < 3; ++process) {
    append(process, {attempt(0, 0), line(0, "a"), line(1, "b")});
  }
  append(0, {attempt(1, 1), line(1, "B")});
  EXPECT_EQ(marks(), "aBaa");
}

TEST_F(RunRecordsTest, ALineWithoutStepStandsWhereTheLineBeforeItDoes) {
  append(
      0,
      {attempt(0, 0),
       line(0, "a"),
       line(1, "b"),
       spans("s"),
       line(2, "c"),
       spans("t"),
       attempt(1, 2),
       line(2, "C"),
       spans("T")});
  EXPECT_EQ(marks(), "absCT");
}

TEST_F(RunRecordsTest, BrokenLinesAreCountedOnce) {
  append(0, {attempt(0, 0), line(0, "a")});
  append(1, {attempt(0, 0), line(0, "b")});
  put(run_.records(2), "{\"type\":\"st");
  EXPECT_EQ(read_run_records(run_, [](const json&) {}), 1);
}

} // namespace
} // namespace grapevine::record
