#include "base/option_values.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <limits>

namespace grapevine {
namespace {

constexpr double kNoBound = std::numeric_limits<double>::infinity();

template <typename Action>
std::string reason(Action action) {
  try {
    action();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Values, IntegersInsideTheirRange) {
  EXPECT_EQ(parse_integer("1", {1, 8}), 1);
  EXPECT_EQ(parse_integer("8", {1, 8}), 8);
  EXPECT_EQ(parse_integer("-3", {-3, 0}), -3);
  for (const char* bad : {"0", "9", "", " 1", "1 ", "1.0", "1e1", "x", "+1"}) {
    EXPECT_EQ(
        reason([&] {
          parse_integer(bad, {1, 8});
        }),
        "expected an integer from 1 to 8, got '" + std::string(bad) + "'");
  }
  EXPECT_EQ(
      reason([] {
        parse_integer(
            "99999999999999999999",
            {0, std::numeric_limits<int64_t>::max()});
      }),
      "expected an integer of at least 0, got '99999999999999999999'");
}

TEST(Values, NumbersInsideTheirRange) {
  EXPECT_EQ(parse_number("1e-3", {0, 1}), 1e-3);
  EXPECT_EQ(parse_number("1", {0, 1}), 1);
  const NumberRange open{.least = 0, .most = 1, .above = true, .below = true};
  for (const char* bad : {"0", "1", "nan", "inf", "", "a", "0.5x"}) {
    EXPECT_EQ(
        reason([&] { parse_number(bad, open); }),
        "expected a number above 0 and below 1, got '" + std::string(bad) +
            "'");
  }
  EXPECT_EQ(
      reason([] {
        parse_number("-1", {0, kNoBound});
      }),
      "expected a number of at least 0, got '-1'");
}

TEST(Values, ListsOfNumbers) {
  const NumberRange range{0, 10};
  EXPECT_EQ(parse_numbers("1,2.5", range), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(parse_numbers("[1, 2.5]", range), (std::vector<double>{1, 2.5}));
  EXPECT_TRUE(parse_numbers("[]", range).empty());
  EXPECT_TRUE(parse_numbers("", range).empty());
  EXPECT_THROW(parse_numbers("1,,2", range), ConfigError);
  EXPECT_THROW(parse_numbers("1,", range), ConfigError);
  EXPECT_THROW(parse_numbers("11", range), ConfigError);
}

TEST(Values, YesAndNo) {
  EXPECT_TRUE(parse_yes_no("true"));
  EXPECT_TRUE(parse_yes_no("yes"));
  EXPECT_FALSE(parse_yes_no("false"));
  EXPECT_FALSE(parse_yes_no("no"));
  EXPECT_THROW(parse_yes_no("1"), ConfigError);
}

TEST(Values, BytesWithUnits) {
  const IntegerRange range{1, int64_t{1} << 40};
  EXPECT_EQ(parse_bytes("65536", range), 65536);
  EXPECT_EQ(parse_bytes("64k", range), 64000);
  EXPECT_EQ(parse_bytes("25MB", range), 25000000);
  EXPECT_EQ(parse_bytes("2 GB", range), 2000000000);
  EXPECT_EQ(parse_bytes("1MiB", range), 1 << 20);
  EXPECT_EQ(parse_bytes("3kib", range), 3072);
  EXPECT_EQ(parse_bytes("1gib", range), 1 << 30);
  for (const char* bad :
       {"", "k", "1.5M", "-1", "0", "1TB", "9223372036854775807k", "1e6"}) {
    EXPECT_THROW(parse_bytes(bad, range), ConfigError) << bad;
  }
}

TEST(Values, TomlText) {
  EXPECT_EQ(toml_text("ring"), "\"ring\"");
  EXPECT_EQ(toml_text("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\"");
  EXPECT_EQ(toml_numbers(std::vector<double>{0.5, 2}), "[0.5, 2]");
}

} // namespace
} // namespace grapevine
