#include "report/page.h"

namespace grapevine::report {

std::string_view page_template() {
  return {};
}

} // namespace grapevine::report
