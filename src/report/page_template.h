#pragma once

#include <string_view>

namespace grapevine::report {

// What stands in the template where the data belongs, exactly once.
inline constexpr std::string_view kDataPlaceholder = "__GRAPEVINE_DATA__";

// The report's HTML page without its data, which takes the placeholder's place
// as JSON text. Empty if the program was built without the page
// (GV_REPORT_PAGE=OFF). The memory is the program's own and never goes away;
// any thread may call.
std::string_view page_template();

} // namespace grapevine::report
