#include "sweep/forecast.h"

#include "sweep/time_left.h"

#include <gtest/gtest.h>

#include <numeric>

namespace grapevine::sweep {
namespace {

Scheduler runs(size_t count, Limits limits, Need need = {}) {
  std::vector<size_t> all(count);
  std::iota(all.begin(), all.end(), 0);
  return {std::vector<Need>(count, need), all, limits};
}

TEST(Forecast, OneCoreAddsUp) {
  const Forecast f = forecast(runs(3, {.cores = 1}), {1, 2, 3});
  EXPECT_DOUBLE_EQ(f.seconds, 6);
  EXPECT_EQ(f.begin, (std::vector<double>{0, 1, 3}));
  EXPECT_EQ(f.end, (std::vector<double>{1, 3, 6}));
  EXPECT_EQ(f.most_at_once, 1);
}

TEST(Forecast, TwoCoresShareEvenRuns) {
  const Forecast f =
      forecast(runs(4, {.cores = 2}, {.memory_bytes = 7}), {4, 4, 4, 4});
  EXPECT_DOUBLE_EQ(f.seconds, 8);
  EXPECT_EQ(f.peak_memory_bytes, 14);
  EXPECT_EQ(f.most_at_once, 2);
}

TEST(Forecast, TheLastOfAnOddNumberGetsBothCores) {
  // 4 s for two, then 2 s for the third on two threads.
  EXPECT_DOUBLE_EQ(forecast(runs(3, {.cores = 2}), {4, 4, 4}).seconds, 6);
}

TEST(Forecast, MoreThreadsThanCoresShareThem) {
  // Two runs of two threads each on two cores: each gets one core.
  const Forecast f =
      forecast(runs(2, {.cores = 2, .jobs = 2}, {.threads = 2}), {4, 2});
  EXPECT_DOUBLE_EQ(f.end[1], 2);  // 2 core-seconds at one core
  EXPECT_DOUBLE_EQ(f.seconds, 3); // 2 left at two cores
}

TEST(Forecast, MemoryMakesThemFollowEachOther) {
  const Forecast f = forecast(
      runs(3, {.cores = 3, .memory_bytes = 10}, {.memory_bytes = 6}),
      {3, 3, 3});
  // One at a time, on all cores.
  EXPECT_DOUBLE_EQ(f.seconds, 3);
  EXPECT_EQ(f.peak_memory_bytes, 6);
  EXPECT_EQ(f.most_at_once, 1);
}

TEST(Forecast, NothingToDoTakesNoTime) {
  const Forecast f = forecast(runs(0, {.cores = 2}), {});
  EXPECT_EQ(f.seconds, 0);
  EXPECT_EQ(f.peak_memory_bytes, 0);
  // Nor do runs that have no work left.
  EXPECT_EQ(forecast(runs(3, {.cores = 2}), {0, 0, 0}).seconds, 0);
}

TEST(Forecast, NeverBelowTheWorkDividedByTheCores) {
  for (int cores = 1; cores < 9; ++cores) {
    for (size_t count = 1; count < 20; ++count) {
      std::vector<double> work(count);
      for (size_t i = 0; i < count; ++i)
        work[i] = static_cast<double>(1 + i * 7 % 5);
      const double sum = std::accumulate(work.begin(), work.end(), 0.0);
      const Forecast f = forecast(runs(count, {.cores = cores}), work);
      EXPECT_GE(f.seconds, sum / cores - 1e-9);
      EXPECT_LE(f.seconds, sum + 1e-9);
    }
  }
}

TEST(TimeLeft, BeginsWithTheEstimates) {
  const TimeLeft left({4, 4, 4});
  EXPECT_EQ(left.correction(), 1);
  EXPECT_DOUBLE_EQ(left.of_sweep(runs(3, {.cores = 1}), 0), 12);
}

TEST(TimeLeft, AFinishedRunCorrectsTheOthers) {
  TimeLeft left({4, 4, 2});
  Scheduler scheduler = runs(3, {.cores = 1});
  left.begin(*scheduler.next(), 0);
  left.complete(0, 6); // it took 6 instead of 4
  scheduler.end(0);
  EXPECT_DOUBLE_EQ(left.correction(), 1.5);
  EXPECT_DOUBLE_EQ(left.of_sweep(scheduler, 6), 9); // 6 + 3
}

TEST(TimeLeft, ARunningRunTellsItsOwnRate) {
  TimeLeft left({10, 10});
  Scheduler scheduler = runs(2, {.cores = 1});
  left.begin(*scheduler.next(), 0);
  left.reach(0, 0.5, 10); // twice as slow as estimated
  EXPECT_DOUBLE_EQ(left.of_run(0, 10), 10);
  EXPECT_DOUBLE_EQ(left.of_run(0, 14), 6); // no news, but time goes on
  EXPECT_DOUBLE_EQ(left.of_run(0, 100), 0);
  EXPECT_DOUBLE_EQ(left.of_sweep(scheduler, 10), 30);
}

TEST(TimeLeft, TheFirstStepsSayNothing) {
  TimeLeft left({10});
  Scheduler scheduler = runs(1, {.cores = 1});
  left.begin(*scheduler.next(), 0);
  left.reach(0, 0.01, 5); // reading data took five seconds
  EXPECT_EQ(left.correction(), 1);
  EXPECT_LE(left.of_run(0, 5), 10);
}

TEST(TimeLeft, ThreadsCount) {
  TimeLeft left({8});
  Scheduler scheduler = runs(1, {.cores = 4});
  left.begin(*scheduler.next(), 0);
  EXPECT_DOUBLE_EQ(left.of_run(0, 0), 2);
  left.reach(0, 0.5, 1); // 4 of 8 core-seconds in a second: as estimated
  EXPECT_DOUBLE_EQ(left.correction(), 1);
  EXPECT_DOUBLE_EQ(left.of_run(0, 1), 1);
}

TEST(TimeLeft, ProgressNeverGoesBack) {
  TimeLeft left({10});
  left.begin({0, 1}, 0);
  left.reach(0, 0.5, 5);
  left.reach(0, 0.2, 6);
  left.reach(0, 7, 10); // above 1 is 1
  EXPECT_DOUBLE_EQ(left.correction(), 1);
}

} // namespace
} // namespace grapevine::sweep
