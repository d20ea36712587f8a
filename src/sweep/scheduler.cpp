#include "sweep/scheduler.h"

#include "base/check.h"

#include <algorithm>
#include <utility>

namespace grapevine::sweep {
namespace {

// As many as there are cores for, the most demanding run first asked.
int automatic_jobs(
    const std::vector<Need>& needs,
    const std::vector<size_t>& waiting,
    int cores) {
  int widest = 1;
  for (const size_t run : waiting)
    widest = std::max(widest, needs[run].threads);
  const int jobs = std::max(1, cores / widest);
  return std::clamp(static_cast<int>(waiting.size()), 1, jobs);
}

} // namespace

Scheduler::Scheduler(
    std::vector<Need> needs,
    std::vector<size_t> waiting,
    Limits limits)
    : needs_(std::move(needs)),
      waiting_(std::move(waiting)),
      limits_(limits),
      jobs_(
          limits.jobs > 0 ? limits.jobs
                          : automatic_jobs(needs_, waiting_, limits.cores)) {
  GV_CHECK_GE(limits_.cores, 1);
  for (const size_t run : waiting_)
    GV_CHECK_LT(run, needs_.size());
}

std::optional<Start> Scheduler::next() {
  if (running_.size() >= static_cast<size_t>(jobs_)) return std::nullopt;
  const bool is_full = !running_.empty() && threads() >= limits_.cores;
  if (is_full && limits_.jobs == 0) return std::nullopt;
  const auto found =
      std::ranges::find_if(waiting_, [&](size_t run) { return fits(run); });
  if (found == waiting_.end()) return std::nullopt;
  const Start start{*found, share(*found)};
  waiting_.erase(found);
  running_.push_back(start);
  return start;
}

void Scheduler::end(size_t run) {
  const auto gone = std::erase_if(running_, [&](const Start& start) {
    return start.run == run;
  });
  GV_CHECK_EQ(gone, size_t{1});
}

void Scheduler::wait(const std::vector<size_t>& runs) {
  waiting_.insert(waiting_.end(), runs.begin(), runs.end());
}

int64_t Scheduler::memory_bytes() const {
  int64_t sum = 0;
  for (const Start& start : running_)
    sum += needs_[start.run].memory_bytes;
  return sum;
}

int Scheduler::threads() const {
  int sum = 0;
  for (const Start& start : running_)
    sum += start.threads;
  return sum;
}

bool Scheduler::fits(size_t run) const {
  if (running_.empty() || limits_.memory_bytes == 0) return true;
  return memory_bytes() + needs_[run].memory_bytes <= limits_.memory_bytes;
}

int Scheduler::share(size_t run) const {
  if (needs_[run].threads > 0) return needs_[run].threads;
  const int free = limits_.cores - threads();
  const int slots = jobs_ - static_cast<int>(running_.size());
  // This run, and those that could start next to it.
  int64_t memory = memory_bytes() + needs_[run].memory_bytes;
  int starting = 1;
  for (const size_t other : waiting_) {
    if (other == run) continue;
    if (starting >= slots) break;
    const int64_t with_it = memory + needs_[other].memory_bytes;
    if (limits_.memory_bytes > 0 && with_it > limits_.memory_bytes) continue;
    memory = with_it;
    ++starting;
  }
  return std::clamp(free / starting, 1, limits_.cores);
}

Outlook look_ahead(Scheduler scheduler, std::span<const double> core_seconds) {
  Outlook outlook;
  double sum = 0;
  double longest = 0;
  for (const double work : core_seconds) {
    sum += work;
    longest = std::max(longest, work);
  }
  while (const auto start = scheduler.next())
    outlook.threads = start->threads;
  outlook.at_once = static_cast<int>(scheduler.running().size());
  outlook.memory_bytes = scheduler.memory_bytes();
  outlook.seconds =
      std::max(sum / scheduler.limits().cores, longest / outlook.threads);
  return outlook;
}

} // namespace grapevine::sweep
