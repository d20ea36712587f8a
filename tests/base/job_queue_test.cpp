#include "base/job_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

namespace grapevine {
namespace {

TEST(JobQueue, DoesEachJobOnceWhateverTheThreads) {
  for (const int helpers : {0, 1, 3}) {
    JobQueue queue(helpers);
    std::vector<std::atomic<int>> done(100);
    for (int i = 0; i < 100; ++i)
      queue.start(i, [&, i] { ++done[i]; });
    for (int i = 99; i >= 0; --i) {
      queue.finish(i);
      EXPECT_EQ(done[i], 1);
    }
  }
}

TEST(JobQueue, TakesAKeyAgainOnceItIsFinished) {
  JobQueue queue(2);
  int count = 0;
  for (int i = 0; i < 50; ++i) {
    queue.start(7, [&] { ++count; });
    queue.finish(7);
  }
  EXPECT_EQ(count, 50);
  queue.finish(7); // nothing to wait for
}

// Else the second would never be done: the only helper waits for it.
TEST(JobQueue, HelpsWithOthersWhileItWaits) {
  JobQueue queue(1);
  std::latch begun(1);
  std::latch other_is_done(1);
  queue.start(1, [&] {
    begun.count_down();
    other_is_done.wait();
  });
  begun.wait();
  std::thread::id doer;
  queue.start(2, [&] {
    doer = std::this_thread::get_id();
    other_is_done.count_down();
  });
  queue.finish(1);
  queue.finish(2);
  EXPECT_EQ(doer, std::this_thread::get_id());
}

TEST(JobQueue, DrainsAll) {
  JobQueue queue(1);
  std::atomic<int> done = 0;
  for (int i = 0; i < 20; ++i)
    queue.start(i, [&] { ++done; });
  queue.drain();
  EXPECT_EQ(done, 20);
}

TEST(JobQueue, ThrowsWhereTheJobIsWaitedFor) {
  for (const int helpers : {0, 2}) {
    JobQueue queue(helpers);
    queue.start(1, [] { throw std::runtime_error("bad"); });
    queue.start(2, [] {});
    EXPECT_THROW(queue.drain(), std::runtime_error);
    EXPECT_THROW(queue.finish(1), std::runtime_error);
    EXPECT_NO_THROW(queue.finish(2));
    EXPECT_NO_THROW(queue.drain());
  }
}

// A job that has begun uses memory that may be gone after the queue.
TEST(JobQueue, NoJobOutlivesIt) {
  std::atomic<int> begun = 0;
  std::atomic<int> ended = 0;
  {
    JobQueue queue(2);
    for (int i = 0; i < 1000; ++i) {
      queue.start(i, [&] {
        ++begun;
        std::this_thread::yield();
        ++ended;
      });
    }
    while (begun == 0)
      std::this_thread::yield();
  }
  EXPECT_EQ(begun, ended);
  EXPECT_LE(ended, 1000);
}

} // namespace
} // namespace grapevine
