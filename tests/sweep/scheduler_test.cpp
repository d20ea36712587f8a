#include "sweep/scheduler.h"

#include <gtest/gtest.h>

#include <numeric>

namespace grapevine::sweep {
namespace {

std::vector<size_t> first(size_t count) {
  std::vector<size_t> runs(count);
  std::iota(runs.begin(), runs.end(), 0);
  return runs;
}

Scheduler equal_runs(size_t count, Limits limits, Need need = {}) {
  return {std::vector<Need>(count, need), first(count), limits};
}

// All that start now, as (run, threads).
std::vector<std::pair<size_t, int>> starts(Scheduler& scheduler) {
  std::vector<std::pair<size_t, int>> list;
  while (const auto start = scheduler.next())
    list.emplace_back(start->run, start->threads);
  return list;
}

using List = std::vector<std::pair<size_t, int>>;

TEST(Scheduler, AsManyAtOnceAsCoresInOrder) {
  Scheduler scheduler = equal_runs(5, {.cores = 3});
  EXPECT_EQ(scheduler.jobs(), 3);
  EXPECT_EQ(starts(scheduler), (List{{0, 1}, {1, 1}, {2, 1}}));
  EXPECT_EQ(starts(scheduler), List{});
  scheduler.end(1);
  EXPECT_EQ(starts(scheduler), (List{{3, 1}}));
  scheduler.end(0);
  scheduler.end(2);
  EXPECT_EQ(starts(scheduler).front().first, 4u);
  scheduler.end(3);
  EXPECT_FALSE(scheduler.done());
  scheduler.end(4);
  EXPECT_TRUE(scheduler.done());
}

TEST(Scheduler, OnlyWhatIsToBeDone) {
  Scheduler scheduler({{}, {}, {}, {}}, {3, 1}, {.cores = 4});
  EXPECT_EQ(scheduler.jobs(), 2);
  EXPECT_EQ(starts(scheduler), (List{{3, 2}, {1, 2}}));
}

TEST(Scheduler, NothingToDo) {
  Scheduler scheduler = equal_runs(0, {.cores = 2});
  EXPECT_TRUE(scheduler.done());
  EXPECT_FALSE(scheduler.next().has_value());
}

TEST(Scheduler, FewerRunsThanCoresShareThem) {
  Scheduler three = equal_runs(3, {.cores = 8});
  // 8/3, then 6/2, then 3/1: none is left over.
  EXPECT_EQ(starts(three), (List{{0, 2}, {1, 3}, {2, 3}}));
  Scheduler one = equal_runs(1, {.cores = 8});
  EXPECT_EQ(starts(one), (List{{0, 8}}));
}

TEST(Scheduler, JobsAreTheUsers) {
  Scheduler two = equal_runs(6, {.cores = 8, .jobs = 2});
  EXPECT_EQ(starts(two), (List{{0, 4}, {1, 4}}));
  // More than cores: one thread each.
  Scheduler four = equal_runs(6, {.cores = 2, .jobs = 4});
  EXPECT_EQ(starts(four), (List{{0, 1}, {1, 1}, {2, 1}, {3, 1}}));
}

TEST(Scheduler, ThreadsOfASpecAreKept) {
  Scheduler scheduler = equal_runs(6, {.cores = 8}, {.threads = 4});
  EXPECT_EQ(scheduler.jobs(), 2);
  EXPECT_EQ(starts(scheduler), (List{{0, 4}, {1, 4}}));
  Scheduler wide = equal_runs(6, {.cores = 2}, {.threads = 4});
  EXPECT_EQ(wide.jobs(), 1);
  EXPECT_EQ(starts(wide), (List{{0, 4}}));
}

TEST(Scheduler, MemoryLimitsHowManyRunAtOnce) {
  Scheduler scheduler =
      equal_runs(4, {.cores = 4, .memory_bytes = 25}, {.memory_bytes = 10});
  EXPECT_EQ(starts(scheduler), (List{{0, 2}, {1, 2}}));
  EXPECT_EQ(scheduler.memory_bytes(), 20);
  scheduler.end(0);
  EXPECT_EQ(starts(scheduler), (List{{2, 2}}));
}

TEST(Scheduler, ASmallerRunGoesFirstWhereTheNextDoesNotFit) {
  Scheduler scheduler(
      {{.memory_bytes = 10}, {.memory_bytes = 20}, {.memory_bytes = 5}},
      {0, 1, 2},
      {.cores = 3, .memory_bytes = 20});
  const auto now = starts(scheduler);
  ASSERT_EQ(now.size(), 2u);
  EXPECT_EQ(now[0].first, 0u);
  EXPECT_EQ(now[1].first, 2u);
  scheduler.end(0);
  EXPECT_EQ(starts(scheduler), List{}); // 5 + 20 > 20
  scheduler.end(2);
  EXPECT_EQ(starts(scheduler), (List{{1, 3}}));
}

TEST(Scheduler, ARunAboveTheLimitRunsAlone) {
  Scheduler scheduler =
      equal_runs(2, {.cores = 2, .memory_bytes = 5}, {.memory_bytes = 10});
  EXPECT_EQ(starts(scheduler), (List{{0, 2}}));
  scheduler.end(0);
  EXPECT_EQ(starts(scheduler), (List{{1, 2}}));
}

TEST(Scheduler, StopStartsNothingMore) {
  Scheduler scheduler = equal_runs(5, {.cores = 2});
  starts(scheduler);
  scheduler.stop();
  scheduler.end(0);
  EXPECT_EQ(starts(scheduler), List{});
  EXPECT_FALSE(scheduler.done());
  scheduler.end(1);
  EXPECT_TRUE(scheduler.done());
}

// Whatever the sweep looks like: within the limits at any time, every run
// once, no core idle while a run could use it.
TEST(Scheduler, KeepsItsPromisesOnManySweeps) {
  for (int cores = 1; cores <= 9; ++cores) {
    for (size_t runs = 0; runs <= 12; ++runs) {
      for (const int64_t memory : {0, 7, 12}) {
        std::vector<Need> needs(runs);
        for (size_t i = 0; i < runs; ++i)
          needs[i].memory_bytes = static_cast<int64_t>(1 + i * 5 % 7);
        Scheduler scheduler(
            needs,
            first(runs),
            {.cores = cores, .memory_bytes = memory});
        std::vector<int> started(runs);
        while (!scheduler.done()) {
          for (const auto& [run, threads] : starts(scheduler)) {
            ++started[run];
            EXPECT_GE(threads, 1);
          }
          ASSERT_FALSE(scheduler.running().empty());
          EXPECT_LE(scheduler.threads(), cores);
          EXPECT_LE(static_cast<int>(scheduler.running().size()), cores);
          if (memory > 0 && scheduler.running().size() > 1) {
            EXPECT_LE(scheduler.memory_bytes(), memory);
          }
          scheduler.end(scheduler.running().front().run);
        }
        EXPECT_EQ(started, std::vector<int>(runs, 1));
      }
    }
  }
}

TEST(LookAhead, IsTheWorkOverTheCores) {
  const auto seconds = [](size_t runs, Limits limits, double work) {
    const std::vector<double> each(runs, work);
    return look_ahead(equal_runs(runs, limits), each).seconds;
  };
  EXPECT_DOUBLE_EQ(seconds(3, {.cores = 1}, 2), 6);
  EXPECT_DOUBLE_EQ(seconds(4, {.cores = 2}, 4), 8);
  // One run at a time, on all cores.
  EXPECT_DOUBLE_EQ(seconds(3, {.cores = 2, .jobs = 1}, 4), 6);
  // No run can use more cores than it has threads.
  EXPECT_DOUBLE_EQ(seconds(5, {.cores = 4}, 4), 5);
  EXPECT_DOUBLE_EQ(seconds(1, {.cores = 4}, 4), 1);
  EXPECT_EQ(seconds(0, {.cores = 2}, 0), 0);
}

TEST(LookAhead, CountsWhatRunsAtOnce) {
  const std::vector<double> work = {3, 3, 3};
  const Outlook outlook = look_ahead(
      equal_runs(3, {.cores = 4, .memory_bytes = 15}, {.memory_bytes = 6}),
      work);
  EXPECT_EQ(outlook.at_once, 2);
  EXPECT_EQ(outlook.threads, 2);
  EXPECT_EQ(outlook.memory_bytes, 12);
}

} // namespace
} // namespace grapevine::sweep
