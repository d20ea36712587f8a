#include "data/source.h"

namespace grapevine::data {

int64_t Source::sample_elements() const {
  int64_t elements = 1;
  for (const int64_t extent : sample_shape())
    elements *= extent;
  return elements;
}

} // namespace grapevine::data
