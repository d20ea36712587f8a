#include "report/json_writer.h"
#include "base/random.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace grapevine::report {
namespace {

using nlohmann::json;

std::string written(double value, int digits = 6) {
  JsonWriter writer;
  writer.number(value, digits);
  return writer.take();
}

TEST(JsonWriterTest, NumbersAreShort) {
  EXPECT_EQ(written(0), "0");
  EXPECT_EQ(written(1), "1");
  EXPECT_EQ(written(-2.5), "-2.5");
  EXPECT_EQ(written(0.1), "0.1");
  EXPECT_EQ(written(1.0 / 3), "0.333333");
  EXPECT_EQ(written(1.0 / 3, 3), "0.333");
  EXPECT_EQ(written(123456), "123456");
  EXPECT_EQ(written(1234567), "1.23457e6");
  EXPECT_EQ(written(2e6), "2e6");
  EXPECT_EQ(written(0.0001), "1e-4");
  EXPECT_EQ(written(0.00028961, 4), "2.896e-4");
  EXPECT_EQ(written(1e-300), "1e-300");
  EXPECT_EQ(written(1e300), "1e300");
  EXPECT_EQ(written(0.001), "1e-3");
  EXPECT_EQ(written(100), "100");
}

TEST(JsonWriterTest, WhatIsNotFiniteIsNull) {
  for (const double value :
       {std::nan(""),
        std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(written(value), "null");
  }
}

TEST(JsonWriterTest, NumbersComeBackToTheirDigits) {
  Random random(3, Purpose::kTest);
  for (int i = 0; i < 2000; ++i) {
    const double exponent = 600 * random.uniform() - 300;
    const double value = random.normal() * std::pow(10, exponent);
    const double back = json::parse(written(value)).get<double>();
    EXPECT_NEAR(back, value, 1e-5 * std::abs(value)) << written(value);
  }
}

TEST(JsonWriterTest, NestedValues) {
  JsonWriter writer;
  writer.object([&] {
    writer.key("a");
    writer.begin_array();
    writer.integer(1);
    writer.null();
    writer.object([] {});
    writer.end_array();
    writer.field("b", true);
    writer.key("c");
    writer.numbers(std::vector<double>{});
    writer.field("d", std::vector<int64_t>{-1, 2});
    writer.field("e", std::optional<bool>());
    writer.object_of("f", std::optional(0.5), [&](double half) {
      writer.field("half", half);
    });
    writer.objects("g", std::vector<std::string>{"x"}, [&](const auto& text) {
      writer.field("text", text);
    });
  });
  EXPECT_EQ(
      writer.take(),
      "{\"a\":[1,null,{}],\"b\":true,\"c\":[],\"d\":[-1,2],\"e\":null,"
      "\"f\":{\"half\":0.5},\"g\":[{\"text\":\"x\"}]}");
}

TEST(JsonWriterTest, AnyTextIsValid) {
  const std::vector<std::string> texts = {
      "plain",
      "quote \" backslash \\ newline \n tab \t bell \x07",
      "größer – 中文 😀",
      std::string("zero \0 inside", 13),
      "</script><!-- \xe2\x80\xa8",
  };
  for (const std::string& text : texts) {
    JsonWriter writer;
    writer.text(text);
    EXPECT_EQ(json::parse(writer.take()).get<std::string>(), text);
  }
}

TEST(JsonWriterTest, BrokenUtf8IsReplaced) {
  for (const std::string text :
       {"a\xff",
        "\xc3",
        "\xe2\x80",
        "\xed\xa0\x80",
        "\xc0\xaf",
        "\xf5\x80\x80\x80",
        "\xf0\x80\x80\x80",
        "\xe0\x80\x80",
        "\x80"}) {
    JsonWriter writer;
    writer.text(text);
    const std::string out = writer.take();
    EXPECT_TRUE(json::accept(out)) << out;
    EXPECT_NE(out.find("\xef\xbf\xbd"), std::string::npos);
  }
}

// Every pair of bytes: what is valid stays, what is not never breaks out.
TEST(JsonWriterTest, EveryPairOfBytes) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      JsonWriter writer;
      writer.text(
          std::string{static_cast<char>(first), static_cast<char>(second)});
      ASSERT_TRUE(json::accept(writer.take())) << first << " " << second;
    }
  }
}

} // namespace
} // namespace grapevine::report
