#include "base/check.h"
#include "base/error.h"
#include "record/record_reader.h"
#include "record/record_writer.h"
#include "record/temporary_directory.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <sstream>
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

// The lines of a run that count. A file is written as words: "1@4" is the
// attempt 1 from step 4 (with "!" its worker's own steps), "b3" a line of step
// 3 with the mark b, "s" a line without a step.
class RunRecordsTest : public testing::Test {
 protected:
  RunRecordsTest() { run_.create(); }

  static json record(const std::string& word) {
    const size_t at = word.find('@');
    if (at != std::string::npos) {
      json attempt = {
          {"type", "attempt"},
          {"attempt", std::stoi(word)},
          {"step", std::stoi(word.substr(at + 1))}};
      if (word.back() == '!') attempt["own_steps"] = true;
      return attempt;
    }
    json line = {{"type", "step"}, {"mark", word.substr(0, 1)}};
    if (word.size() > 1) line["step"] = std::stoi(word.substr(1));
    return line;
  }
  void append(int process, const std::string& words) const {
    RecordWriter writer(run_.records(process));
    std::istringstream in(words);
    for (std::string word; in >> word;)
      writer.append(record(word));
  }
  // The marks of the lines that count, in order.
  std::string marks() const {
    std::string marks;
    read_run_records(run_, [&](const json& line) {
      marks += line.value("mark", "");
    });
    return marks;
  }

  TemporaryDirectory directory_;
  RunDirectory run_{directory_ / "run"};
};

TEST_F(RunRecordsTest, LinesThatCount) {
  struct Case {
    const char* what;
    std::vector<std::string> files; // by process
    const char* marks;
  };
  const std::vector<Case> cases = {
      {"no files", {}, ""},
      {"one attempt counts wholly", {"0@0 a0 b1"}, "ab"},
      {"steps done again are superseded", {"0@0 a0 b1 c2 1@1 B1 C2"}, "aBC"},
      {"the earliest of several later attempts rules",
       {"0@0 a0 b1 c2 d3 1@2 e2 f3 2@1 g1 3@2 h2"},
       "agh"},
      {"started afresh, nothing earlier counts", {"0@0 a0 1@0 b0"}, "b"},
      {"a worker that comes back, even twice, does its own steps again only",
       {"0@0! a0 b1 c2", "0@0! d0 e1 f2 0@2! g2 h3 0@3! i3"},
       "abcdegi"},
      {"an attempt rules over files that it does not write",
       {"0@0 a0 b1 1@1 B1", "0@0 a0 b1", "0@0 a0 b1"},
       "aBaa"},
      {"a line without a step has that of the line before it",
       {"0@0 a0 b1 s c2 t 1@2 C2 T"},
       "absCT"},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.what);
    run_.clear();
    run_.create();
    for (size_t process = 0; process < one.files.size(); ++process)
      append(static_cast<int>(process), one.files[process]);
    EXPECT_EQ(marks(), one.marks);
  }
}

TEST_F(RunRecordsTest, ProcessesComeInRankOrder) {
  append(10, "0@0 d0");
  append(2, "0@0 c0");
  append(0, "0@0 a0");
  append(1, "0@0 b0");
  put(run_.path() / "records" / "process-x.jsonl", "not ours\n");
  EXPECT_EQ(marks(), "abcd");
}

TEST_F(RunRecordsTest, SupersededAttemptsAreNotSeen) {
  append(0, "0@0 a0 1@0 b0");
  int attempts = 0;
  read_run_records(run_, [&](const json& line) {
    attempts += line.at("type") == "attempt";
  });
  EXPECT_EQ(attempts, 1);
}

TEST_F(RunRecordsTest, BrokenLinesAreCountedOnce) {
  append(0, "0@0 a0");
  append(1, "0@0 b0");
  put(run_.records(2), "{\"type\":\"st");
  EXPECT_EQ(read_run_records(run_, [](const json&) {}), 1);
}

} // namespace
} // namespace grapevine::record
