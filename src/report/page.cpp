#include "report/page.h"

#include "base/check.h"
#include "base/error.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace grapevine::report {
namespace {

// What could end the script element, and what stands for it.
constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {
    {"</", "<\\/"},
    {"<!", "\\u003c!"},
    {"\xe2\x80\xa8", "\\u2028"},
    {"\xe2\x80\xa9", "\\u2029"}};

} // namespace

std::string escape_for_script(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 64);
  while (!json.empty()) {
    const size_t plain = json.find_first_of("<\xe2");
    out += json.substr(0, plain);
    if (plain == std::string_view::npos) break;
    json.remove_prefix(plain);
    const auto* escape = std::ranges::find_if(kEscapes, [&](const auto& one) {
      return json.starts_with(one.first);
    });
    const bool is_escaped = escape != std::end(kEscapes);
    out += is_escaped ? escape->second : json.substr(0, 1);
    json.remove_prefix(is_escaped ? escape->first.size() : 1);
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
