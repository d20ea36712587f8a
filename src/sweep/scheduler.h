// Which run of a sweep starts next, and on how many threads. A value without
// threads or clock.
//
// Runs start in the order given, as many at once as `jobs` and the memory
// allow. If the next one does not fit, a later one that does goes first. One
// that needs more than there is starts when nothing else is running.
//
// Threads: the free cores, shared between the runs that could start now.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace grapevine::sweep {

// What a run asks for.
struct Need {
  int64_t memory_bytes = 0;
  int threads = 0; // as the user wants it; 0 = a share of the cores
};

struct Limits {
  int cores = 1;
  // At once; 0 = as many as there are cores for, and none without a free one.
  int jobs = 0;
  int64_t memory_bytes = 0; // of all that run at once; 0 = no limit
};

struct Start {
  size_t run = 0;
  int threads = 1;
};

class Scheduler {
 public:
  // `waiting`: indices into `needs` of what is to be done, in order.
  Scheduler(
      std::vector<Need> needs,
      std::vector<size_t> waiting,
      Limits limits);

  // Returns the next run to start now; it counts as running from here on.
  // Nothing while all that wait have to wait longer.
  std::optional<Start> next();
  // A running run has ended, in whatever way.
  void end(size_t run);
  // These wait (again), after the others.
  void wait(const std::vector<size_t>& runs);
  // No run starts any more.
  void stop() { waiting_.clear(); }

  const Limits& limits() const { return limits_; }
  const std::vector<Start>& running() const { return running_; }
  const std::vector<size_t>& waiting() const { return waiting_; }
  bool done() const { return running_.empty() && waiting_.empty(); }
  // Of the runs that are running.
  int64_t memory_bytes() const;
  int threads() const;
  // Runs that may be running at once, memory aside.
  int jobs() const { return jobs_; }

 private:
  bool fits(size_t run) const;
  int share(size_t run) const;

  std::vector<Need> needs_;
  std::vector<size_t> waiting_;
  std::vector<Start> running_;
  Limits limits_;
  int jobs_;
};

// What a sweep will take: its work divided by the cores, but not less than the
// longest run on the threads that it gets.
struct Outlook {
  int at_once = 0;
  int threads = 1;          // per run
  int64_t memory_bytes = 0; // of the runs at once
  double seconds = 0;
};

// core_seconds: what is left to do, by run.
Outlook look_ahead(Scheduler scheduler, std::span<const double> core_seconds);

} // namespace grapevine::sweep
