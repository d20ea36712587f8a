#include "base/check.h"

#include <cstring>

namespace grapevine::detail {

void check_failed(const char* file, int line, const std::string& what) {
  const char* name = std::strrchr(file, '/');
  throw CheckFailure(fmt::format(
      "internal check failed at {}:{}: {}",
      name != nullptr ? name + 1 : file,
      line,
      what));
}

} // namespace grapevine::detail
