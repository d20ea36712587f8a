// Which run of a sweep starts next, and on how many threads. A value without
// threads or clock: the sweep follows it, and the forecast plays it through.
//
// Runs start in the order given, as many at once as `jobs` and the memory
// allow. Where the next one does not fit, a later one that does goes first.
// One that needs more than there is starts when nothing else is running.
//
// Threads: the cores that are free, shared between the runs that could start
// now. Cores of runs that will end soon count as free: a run keeps its threads
// to its end, so towards the end of a sweep, where none is left to take those
// cores, they would idle.
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

  // The next run to start now; it counts as running from here on. Nothing
  // while all that wait have to wait longer. work: core-seconds left of every
  // run, by index; empty = not known.
  std::optional<Start> next(std::span<const double> work = {});
  // A running run has ended, in whatever way.
  void end(size_t run);
  // These wait (again), behind the others.
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
  int share(size_t run, std::span<const double> work) const;
  bool ends_soon(
      const Start& running,
      size_t beside,
      std::span<const double> work) const;

  std::vector<Need> needs_;
  std::vector<size_t> waiting_;
  std::vector<Start> running_;
  Limits limits_;
  int jobs_;
};

} // namespace grapevine::sweep
