#include "sweep/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <mutex>
#include <new>
#include <numeric>
#include <stdexcept>
#include <thread>

namespace grapevine::sweep {
namespace {

using std::chrono::milliseconds;

Scheduler runs(size_t count, Limits limits, Need need = {}) {
  std::vector<size_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  return {std::vector<Need>(count, need), all, limits};
}

const Ending kDone{Outcome::kDone, ""};

SweepOptions quick() {
  SweepOptions options;
  options.tick = milliseconds(1);
  options.retry_locked = milliseconds(0);
  return options;
}

std::vector<Outcome> outcomes(const std::vector<Ending>& endings) {
  std::vector<Outcome> list;
  for (const Ending& ending : endings)
    list.push_back(ending.outcome);
  return list;
}

TEST(Sweep, DoesEveryRunOnceInOrder) {
  std::vector<size_t> order;
  const auto endings = run_sweep(
      runs(5, {.cores = 1}),
      5,
      [&](size_t run, int threads) {
        EXPECT_EQ(threads, 1);
        order.push_back(run);
        return kDone;
      },
      quick());
  EXPECT_EQ(order, (std::vector<size_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(outcomes(endings), std::vector<Outcome>(5, Outcome::kDone));
}

TEST(Sweep, RunsAreSideBySide) {
  // Each waits for the other: only two at once get past it.
  std::barrier both(2);
  const auto endings = run_sweep(
      runs(4, {.cores = 2}),
      4,
      [&](size_t, int) {
        both.arrive_and_wait();
        return kDone;
      },
      quick());
  EXPECT_EQ(outcomes(endings), std::vector<Outcome>(4, Outcome::kDone));
}

TEST(Sweep, NeverMoreThanJobsNorMemory) {
  for (const Limits limits :
       {Limits{.cores = 8, .jobs = 3},
        Limits{.cores = 8, .memory_bytes = 35}}) {
    std::atomic<int> now = 0;
    std::atomic<int> most = 0;
    run_sweep(
        runs(12, limits, {.memory_bytes = 10}),
        12,
        [&](size_t, int) {
          const int count = ++now;
          int seen = most;
          while (seen < count && !most.compare_exchange_weak(seen, count)) {
          }
          std::this_thread::sleep_for(milliseconds(2));
          --now;
          return kDone;
        },
        quick());
    EXPECT_LE(most, 3);
  }
}

TEST(Sweep, AFailureIsOneResultOfMany) {
  const auto endings = run_sweep(
      runs(5, {.cores = 2}),
      5,
      [](size_t run, int) -> Ending {
        if (run == 1) throw std::runtime_error("no such data");
        if (run == 2) throw std::bad_alloc();
        if (run == 3) throw 3;
        return kDone;
      },
      quick());
  EXPECT_EQ(
      outcomes(endings),
      (std::vector<Outcome>{
          Outcome::kDone,
          Outcome::kFailed,
          Outcome::kFailed,
          Outcome::kFailed,
          Outcome::kDone}));
  EXPECT_EQ(endings[1].error, "no such data");
  EXPECT_NE(endings[2].error, "");
  EXPECT_NE(endings[3].error, "");
}

TEST(Sweep, AnInterruptionLetsRunningRunsEndAndStartsNoOther) {
  std::atomic<bool> interrupt = false;
  std::atomic<int> begun = 0;
  SweepOptions options = quick();
  options.interrupt = &interrupt;
  const auto endings = run_sweep(
      runs(6, {.cores = 2}),
      6,
      [&](size_t run, int) -> Ending {
        ++begun;
        if (run == 0) return kDone;
        if (run == 2) interrupt = true;
        while (!interrupt)
          std::this_thread::yield();
        return {Outcome::kInterrupted, ""};
      },
      options);
  EXPECT_EQ(begun, 3);
  EXPECT_EQ(
      outcomes(endings),
      (std::vector<Outcome>{
          Outcome::kDone,
          Outcome::kInterrupted,
          Outcome::kInterrupted,
          Outcome::kNotStarted,
          Outcome::kNotStarted,
          Outcome::kNotStarted}));
}

TEST(Sweep, InterruptedBeforeItBeganDoesNothing) {
  const std::atomic<bool> interrupt = true;
  SweepOptions options = quick();
  options.interrupt = &interrupt;
  const auto endings = run_sweep(
      runs(2, {.cores = 2}),
      2,
      [](size_t, int) -> Ending {
        ADD_FAILURE() << "a run began";
        return kDone;
      },
      options);
  EXPECT_EQ(outcomes(endings), std::vector<Outcome>(2, Outcome::kNotStarted));
}

TEST(Sweep, LockedRunsAreNamedWhereNobodyWaits) {
  const auto endings = run_sweep(
      runs(3, {.cores = 2}),
      3,
      [](size_t run, int) {
        return run == 1 ? Ending{Outcome::kLocked, ""} : kDone;
      },
      quick());
  EXPECT_EQ(endings[1].outcome, Outcome::kLocked);
  EXPECT_EQ(endings[2].outcome, Outcome::kDone);
}

TEST(Sweep, LockedRunsAreTriedAgainAtTheEnd) {
  std::mutex mutex;
  std::vector<size_t> order;
  int tries = 0;
  SweepOptions options = quick();
  options.retry_locked = milliseconds(2);
  const auto endings = run_sweep(
      runs(3, {.cores = 1}),
      3,
      [&](size_t run, int) {
        const std::lock_guard lock(mutex);
        order.push_back(run);
        if (run == 0 && ++tries < 4) return Ending{Outcome::kLocked, ""};
        return kDone;
      },
      options);
  EXPECT_EQ(order, (std::vector<size_t>{0, 1, 2, 0, 0, 0}));
  EXPECT_EQ(outcomes(endings), std::vector<Outcome>(3, Outcome::kDone));
}

TEST(Sweep, WaitingForALockedRunCanBeInterrupted) {
  std::atomic<bool> interrupt = false;
  SweepOptions options = quick();
  options.interrupt = &interrupt;
  options.retry_locked = milliseconds(5);
  int tries = 0;
  const auto endings = run_sweep(
      runs(1, {.cores = 1}),
      1,
      [&](size_t, int) {
        if (++tries == 3) interrupt = true;
        return Ending{Outcome::kLocked, ""};
      },
      options);
  EXPECT_EQ(tries, 3);
  EXPECT_EQ(endings[0].outcome, Outcome::kLocked);
}

TEST(Sweep, EventsComeOnTheCallersThread) {
  const auto caller = std::this_thread::get_id();
  int started = 0;
  int ended = 0;
  int ticks = 0;
  SweepEvents events;
  const auto check = [&] { EXPECT_EQ(std::this_thread::get_id(), caller); };
  events.on_start = [&](const Start&, const Scheduler&) {
    check();
    ++started;
  };
  events.on_end = [&](size_t, const Ending&, const Scheduler&) {
    check();
    ++ended;
  };
  events.on_tick = [&](const Scheduler&) {
    check();
    ++ticks;
  };
  run_sweep(
      runs(3, {.cores = 2}),
      3,
      [&](size_t, int) {
        EXPECT_NE(std::this_thread::get_id(), caller);
        return kDone;
      },
      quick(),
      events);
  EXPECT_EQ(started, 3);
  EXPECT_EQ(ended, 3);
  EXPECT_GE(ticks, 1);
}

} // namespace
} // namespace grapevine::sweep
