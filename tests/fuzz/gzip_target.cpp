#include "data/idx.h"
#include "fuzz/support.h"

namespace grapevine::fuzz {

void read_gzip(Bytes input) {
  Choices choices(input);
  const int64_t limit = 1 + 16 * choices.next(256);
  const auto unpacked = data::gunzip(input, limit, "input.gz");
  GV_CHECK_LE(static_cast<int64_t>(unpacked.size()), limit);
}

} // namespace grapevine::fuzz
