#include "member/attempts.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace grapevine::member {
namespace {

bool reach_each_other(const Reach& reach, int a, int b) {
  const auto of_a = reach.find(a);
  const auto of_b = reach.find(b);
  if (a == b || of_a == reach.end() || of_b == reach.end()) return true;
  return of_a->second.contains(b) && of_b->second.contains(a);
}

size_t
count_reached(const std::vector<int>& ranks, const Reach& reach, int from) {
  return std::ranges::count_if(ranks, [&](int to) {
    return reach_each_other(reach, from, to);
  });
}

} // namespace

std::vector<int> who_reach_each_other(
    std::vector<int> ranks,
    const Reach& reach) {
  while (!ranks.empty()) {
    size_t worst = 0;
    size_t fewest = ranks.size();
    for (size_t i = 0; i < ranks.size(); ++i) {
      const size_t reached = count_reached(ranks, reach, ranks[i]);
      if (reached > fewest) continue;
      fewest = reached;
      worst = i;
    }
    if (fewest == ranks.size()) break;
    ranks.erase(ranks.begin() + static_cast<std::ptrdiff_t>(worst));
  }
  return ranks;
}

Attempt::Attempt(
    net::GroupFactory& factory,
    net::GroupSpec group,
    Deadline deadline,
    std::chrono::milliseconds pause,
    std::function<void()> finished)
    : thread_([this,
               &factory,
               group = std::move(group),
               deadline,
               pause,
               finished = std::move(finished)] {
        try {
          transport_ = factory.connect(group, deadline, cancelled_);
        } catch (const std::exception&) {
          const auto until = Deadline::after(pause);
          while (!cancelled_ && !until.passed())
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        is_over_ = true;
        if (finished) finished();
      }) {}

ReachProbe::ReachProbe(
    net::GroupFactory& factory,
    const std::string& name,
    int self,
    const std::vector<int>& others,
    Deadline deadline) {
  for (const int other : others) {
    const auto [low, high] = std::minmax(self, other);
    net::GroupSpec group{
        .name = fmt::format("{}/{}-{}", name, low, high),
        .workers = {low, high},
        .self = self == low ? 0 : 1};
    try {
      attempts_[other] =
          std::make_unique<Attempt>(factory, std::move(group), deadline);
    } catch (const std::system_error&) {
      attempts_.erase(other); // no thread for it now
    }
  }
}

bool ReachProbe::is_over(const std::function<bool(int rank)>& is_dead) const {
  return std::ranges::all_of(attempts_, [&](const auto& item) {
    return item.second->is_over() || is_dead(item.first);
  });
}

std::set<int> ReachProbe::reached() const {
  std::set<int> ranks;
  for (const auto& [rank, attempt] : attempts_) {
    if (attempt->is_over() && attempt->has_succeeded()) ranks.insert(rank);
  }
  return ranks;
}

} // namespace grapevine::member
