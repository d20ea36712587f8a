#include "report/page.h"

#include "base/check.h"
#include "base/error.h"
#include "report/page_template.h"

namespace grapevine::report {
namespace {

constexpr std::string_view kLineSeparator = "\xe2\x80\xa8";
constexpr std::string_view kParagraphSeparator = "\xe2\x80\xa9";

} // namespace

std::string escape_for_script(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 64);
  while (!json.empty()) {
    const size_t plain = json.find_first_of("<\xe2");
    out += json.substr(0, plain);
    if (plain == std::string_view::npos) break;
    json.remove_prefix(plain);
    if (json.starts_with("</")) {
      out += "<\\/";
      json.remove_prefix(2);
    } else if (json.starts_with("<!")) {
      out += "\\u003c!";
      json.remove_prefix(2);
    } else if (json.starts_with(kLineSeparator)) {
      out += "\\u2028";
      json.remove_prefix(kLineSeparator.size());
    } else if (json.starts_with(kParagraphSeparator)) {
      out += "\\u2029";
      json.remove_prefix(kParagraphSeparator.size());
    } else {
      out += json.front();
      json.remove_prefix(1);
    }
  }
  return out;
}

std::string fill_page(std::string_view page_template, std::string_view data) {
  if (page_template.empty()) {
    throw ConfigError("built without the report page");
  }
  const size_t place = page_template.find(kDataPlaceholder);
  GV_CHECK(place != std::string_view::npos);
  std::string page(page_template.substr(0, place));
  page += escape_for_script(data);
  page += page_template.substr(place + kDataPlaceholder.size());
  return page;
}

bool has_page() {
  return !page_template().empty();
}

std::string make_page(std::string_view data) {
  return fill_page(page_template(), data);
}

} // namespace grapevine::report
