// The reader of records, line by line.
#include "record/record_scanner.h"
#include "record/line_file.h"
#include "record/temporary_directory.h"

#include <gtest/gtest.h>

namespace grapevine::record {
namespace {

std::vector<std::pair<std::string, bool>> lines_of(const std::string& text) {
  const TemporaryDirectory directory;
  put(directory / "f", text);
  std::vector<std::pair<std::string, bool>> lines;
  read_lines(directory / "f", [&](std::string_view line, bool whole) {
    lines.emplace_back(line, whole);
  });
  return lines;
}

TEST(Lines, WholeAndCut) {
  using Lines = std::vector<std::pair<std::string, bool>>;
  EXPECT_EQ(lines_of(""), Lines{});
  EXPECT_EQ(lines_of("a"), (Lines{{"a", false}}));
  EXPECT_EQ(lines_of("a\n"), (Lines{{"a", true}}));
  EXPECT_EQ(lines_of("\n\nb"), (Lines{{"", true}, {"", true}, {"b", false}}));
}

// Lines shorter, longer and much longer than what is read at once.
TEST(Lines, OfAnyLength) {
  std::string text;
  std::vector<size_t> lengths;
  for (const size_t length :
       {size_t{3},
        size_t{1} << 20,
        (size_t{1} << 20) - 1,
        size_t{5000000},
        size_t{0},
        size_t{100},
        size_t{3000000}}) {
    text += std::string(length, static_cast<char>('a' + lengths.size())) + "\n";
    lengths.push_back(length);
  }
  const auto lines = lines_of(text);
  ASSERT_EQ(lines.size(), lengths.size());
  for (size_t i = 0; i < lengths.size(); ++i) {
    EXPECT_TRUE(lines[i].second);
    EXPECT_EQ(
        lines[i].first,
        std::string(lengths[i], static_cast<char>('a' + i)));
  }
}

class ScannerTest : public testing::Test {
 protected:
  ScannerTest() { run_.create(); }
  std::vector<std::string> marks() const {
    std::vector<std::string> marks;
    scan_run_records(run_, [&](const RecordLine& line) {
      std::string_view mark;
      if (line.fields.at_key("mark").get(mark) == simdjson::SUCCESS) {
        marks.emplace_back(mark);
      }
    });
    return marks;
  }
  TemporaryDirectory directory_;
  RunDirectory run_{directory_ / "run"};
};

// However the line is written, an attempt is an attempt.
TEST_F(ScannerTest, AttemptsAreFoundInAnySpelling) {
  for (const std::string attempt :
       {R"({"attempt":1,"step":1,"type":"attempt"})",
        R"({"type": "attempt" , "attempt": 1, "step": 1})",
        R"({ "step":1,"attempt" :1,"type"	:	"attempt"	})"}) {
    put(run_.records(0),
        "{\"type\":\"step\",\"step\":0,\"attempt\":0,\"mark\":\"a\"}\n"
        "{\"type\":\"step\",\"step\":1,\"attempt\":0,\"mark\":\"b\"}\n" +
            attempt +
            "\n{\"type\":\"step\",\"step\":1,\"attempt\":1,\"mark\":\"c\"}\n");
    EXPECT_EQ(marks(), (std::vector<std::string>{"a", "c"})) << attempt;
  }
}

TEST_F(ScannerTest, TheWordElsewhereIsNoAttempt) {
  put(run_.records(0),
      "{\"type\":\"step\",\"step\":5,\"mark\":\"a\"}\n"
      "{\"type\":\"note\",\"step\":0,\"attempt\":9,\"word\":\"attempt\"}\n"
      "{\"type\":\"step\",\"step\":6,\"mark\":\"b\"}\n");
  EXPECT_EQ(marks(), (std::vector<std::string>{"a", "b"}));
}

} // namespace
} // namespace grapevine::record
