// The page: one HTML file with the data inside, which opens from disk.
#pragma once

#include <string>
#include <string_view>

namespace grapevine::report {

// What stands in the template where the data belongs, exactly once.
inline constexpr std::string_view kDataPlaceholder = "__GRAPEVINE_DATA__";

// The page without its data, which takes the placeholder's place as JSON text.
// Empty if the program was built without the page (GV_REPORT_PAGE=OFF). The
// memory is the program's own and never goes away; any thread may call.
std::string_view page_template();

// Whether this build has a page.
bool has_page();

// The template of this build with `data` (JSON) in its place. ConfigError
// if the program was built without one.
std::string make_page(std::string_view data);

// The same for any template; ConfigError if the template is empty, a
// CheckFailure if it has no place for the data.
std::string fill_page(std::string_view page_template, std::string_view data);

// JSON that cannot end the script element which it stands in: "</" becomes
// "<\/", and the "<" of "<!" and the line separators U+2028 and U+2029 are
// escaped. The same values when parsed.
std::string escape_for_script(std::string_view json);

} // namespace grapevine::report
