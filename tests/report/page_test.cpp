#include "report/page.h"
#include "base/check.h"
#include "base/error.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace grapevine::report {
namespace {

using nlohmann::json;

TEST(Page, DataTakesItsPlace) {
  EXPECT_EQ(
      fill_page("<a>__GRAPEVINE_DATA__</a>", "{\"x\":1}"),
      "<a>{\"x\":1}</a>");
}

TEST(Page, NothingInTheDataEndsTheScript) {
  const json data = {
      {"a", "</script><script>alert(1)</script>"},
      {"b", "<!-- <script>"},
      {"c", "line\u2028paragraph\u2029end, â and <"}};
  const std::string escaped = escape_for_script(data.dump());
  EXPECT_EQ(escaped.find("</"), std::string::npos);
  EXPECT_EQ(escaped.find("<!"), std::string::npos);
  EXPECT_EQ(escaped.find("\u2028"), std::string::npos);
  EXPECT_EQ(escaped.find("\u2029"), std::string::npos);
  EXPECT_EQ(json::parse(escaped), data);
}

TEST(Page, EscapingAtTheEnds) {
  EXPECT_EQ(escape_for_script(""), "");
  EXPECT_EQ(escape_for_script("<"), "<");
  EXPECT_EQ(escape_for_script("\xe2"), "\xe2");
  EXPECT_EQ(escape_for_script("</"), "<\\/");
  EXPECT_EQ(escape_for_script("<</"), "<<\\/");
}

TEST(Page, WithoutATemplate) {
  EXPECT_THROW(fill_page("", "{}"), ConfigError);
  EXPECT_THROW(fill_page("<html></html>", "{}"), CheckFailure);
}

// Data that holds the placeholder is data.
TEST(Page, OnlyTheTemplatesPlaceIsFilled) {
  EXPECT_EQ(
      fill_page("[__GRAPEVINE_DATA__]", "\"__GRAPEVINE_DATA__\""),
      "[\"__GRAPEVINE_DATA__\"]");
}

} // namespace
} // namespace grapevine::report
