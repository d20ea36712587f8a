#include "gossip/progress_estimator.h"

#include <algorithm>
#include <utility>

namespace grapevine::gossip {

ProgressEstimator::ProgressEstimator(
    int rank,
    int size,
    std::vector<int64_t> known)
    : rank_(rank),
      counts_(std::move(known)),
      as_of_(size),
      first_counts_(size, -1),
      first_as_of_(size) {
  counts_.resize(size);
}

void ProgressEstimator::add(double now) {
  const std::lock_guard lock(mutex_);
  ++counts_[rank_];
  as_of_[rank_] = now;
}

void ProgressEstimator::merge(const News& news, double now) {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (first_counts_[i] < 0) {
      first_counts_[i] = news.counts[i];
      first_as_of_[i] = now - news.ages[i];
    }
    if (news.counts[i] <= counts_[i]) continue;
    counts_[i] = news.counts[i];
    as_of_[i] = now - news.ages[i];
  }
}

News ProgressEstimator::news(double now) const {
  const std::lock_guard lock(mutex_);
  News news{.counts = counts_, .ages = {}};
  for (const double moment : as_of_)
    news.ages.push_back(now - moment);
  return news;
}

double ProgressEstimator::estimate(double now) const {
  constexpr double kMost = 0.1; // of the count
  constexpr double kGone = 0.3; // of the time that has passed
  const std::lock_guard lock(mutex_);
  double total = 0;
  for (size_t i = 0; i < counts_.size(); ++i) {
    const auto count = static_cast<double>(counts_[i]);
    const double age = now - as_of_[i];
    const double observed = as_of_[i] - first_as_of_[i];
    const double speed =
        observed > 0
            ? static_cast<double>(counts_[i] - first_counts_[i]) / observed
            : 0;
    const bool is_known = static_cast<int>(i) == rank_ || age > kGone * now;
    total += count;
    if (!is_known) {
      total += std::min(speed * std::min(age, observed), kMost * count);
    }
  }
  return total;
}

std::vector<int64_t> ProgressEstimator::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

} // namespace grapevine::gossip
