// The page: one HTML file with the data inside, which opens from disk.
#pragma once

#include <string>
#include <string_view>

namespace grapevine::report {

// Whether this build has a page.
bool has_page();

// The template of this build with `data` (JSON) in its place. ConfigError
// where the program was built without one.
std::string make_page(std::string_view data);

// The same for any template; ConfigError where the template is empty, a
// CheckFailure where it has no place for the data.
std::string fill_page(std::string_view page_template, std::string_view data);

// JSON that cannot end the script element which it stands in: "</" becomes
// "<\/", and the "<" of "<!" and the line separators U+2028 and U+2029 are
// escaped. The same values when parsed.
std::string escape_for_script(std::string_view json);

} // namespace grapevine::report
