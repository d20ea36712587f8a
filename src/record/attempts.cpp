#include "record/attempts.h"

#include <algorithm>
#include <limits>

namespace grapevine::record {

void Attempts::add(int64_t attempt, int64_t step) {
  resumed_at_.emplace(attempt, step);
}

int64_t Attempts::superseded_from(int64_t attempt) const {
  int64_t from = std::numeric_limits<int64_t>::max();
  for (auto later = resumed_at_.upper_bound(attempt);
       later != resumed_at_.end();
       ++later) {
    from = std::min(from, later->second);
  }
  return from;
}

Position::Position(const Attempts& attempts)
    : attempts_(attempts),
      superseded_from_(attempts.superseded_from(0)) {}

void Position::begin(int64_t attempt) {
  superseded_from_ = attempts_.superseded_from(attempt);
}

} // namespace grapevine::record
