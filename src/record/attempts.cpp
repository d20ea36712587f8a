#include "record/attempts.h"

#include <algorithm>
#include <limits>

namespace grapevine::record {

void Attempts::add(int file, int64_t attempt, int64_t step, bool is_own) {
  if (is_own) {
    own_resumed_at_[file].push_back(step);
  } else {
    resumed_at_.emplace(attempt, step);
  }
}

Position::Position(const Attempts& attempts, int file)
    : attempts_(attempts),
      file_(file) {
  look_ahead();
}

void Position::begin(int64_t attempt, bool is_own) {
  attempt_ = attempt;
  if (is_own) ++own_begun_;
  look_ahead();
}

void Position::look_ahead() {
  superseded_from_ = std::numeric_limits<int64_t>::max();
  const auto& all = attempts_.resumed_at_;
  for (auto later = all.upper_bound(attempt_); later != all.end(); ++later)
    superseded_from_ = std::min(superseded_from_, later->second);
  const auto own = attempts_.own_resumed_at_.find(file_);
  if (own == attempts_.own_resumed_at_.end()) return;
  for (size_t i = own_begun_; i < own->second.size(); ++i)
    superseded_from_ = std::min(superseded_from_, own->second[i]);
}

} // namespace grapevine::record
