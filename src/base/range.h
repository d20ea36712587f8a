// A half-open range of elements.
#pragma once

#include <cstdint>

namespace grapevine {

struct Range {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end - begin; }
  bool operator==(const Range&) const = default;
};

} // namespace grapevine
