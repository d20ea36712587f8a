// Whom the workers of the runtime model wait for, and what they do when.
#include "sim/recursion.h"

#include "sim/support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace grapevine::sim {
namespace {

constexpr int64_t kMegabyte = 1'000'000;

// Waits of worker and peer; of several peers each has its part.
class Book : public Watcher {
 public:
  explicit Book(int n) : ends(n) {}

  void worked(int worker, Work, int, double begin, double end) override {
    go_on(worker, begin, end);
  }
  void waited(
      int worker,
      int,
      std::span<const int> peers,
      double begin,
      double end) override {
    go_on(worker, begin, end);
    all += end - begin;
    const auto others = static_cast<double>(
        std::ranges::count_if(peers, [&](int peer) { return peer != worker; }));
    for (const int peer : peers) {
      if (peer == worker) continue;
      waits_[{worker, peer}] += (end - begin) / others;
      booked += (end - begin) / others;
    }
  }
  void exchanged(int, double begin, double end) override {
    EXPECT_LE(begin, end);
  }

  double waited(int worker, int peer) const {
    const auto found = waits_.find({worker, peer});
    return found == waits_.end() ? 0 : found->second;
  }

  std::vector<double> ends; // by worker
  double all = 0;
  double booked = 0;

 private:
  void go_on(int worker, double begin, double end) {
    EXPECT_NEAR(begin, ends[worker], kClose) << worker;
    EXPECT_LE(begin, end);
    ends[worker] = end;
  }

  std::map<std::pair<int, int>, double> waits_;
};

struct World {
  std::string graph = "ring";
  int n = 4;
  std::string agreement = "adapt-then-combine";
  std::vector<LinkRate> slow_links = {};
  std::string slow = {};
  bool clipped = false;
};

Book watched(const World& world) {
  Costs costs = with_compute(
      links(1e-4, 50e6),
      even(5e-3, 10e-3, {kMegabyte, kMegabyte, kMegabyte / 2}, 1e-3));
  costs.link_rates = world.slow_links;
  RuntimeModel model(
      costs,
      {.n = world.n,
       .agreement = &algo::find_agreement(world.agreement),
       .after_backward = world.clipped,
       .slow = parse_slow(world.slow)});
  Book book(world.n);
  model.watch(&book);
  const StepTimes mean = mean_times(
      model,
      *schedule(world.graph, world.n),
      0,
      24,
      costs.compute.model_bytes());
  EXPECT_NEAR(book.all, 24 * mean.waited * world.n, kClose * world.n);
  EXPECT_NEAR(book.booked, book.all, kClose * world.n);
  for (int i = 0; i < world.n; ++i)
    EXPECT_NEAR(book.ends[i], model.ends()[i], kClose) << i;
  return book;
}

TEST(Watcher, EverySecondIsToldAndEveryWaitHasAPeer) {
  for (const char* name :
       {"combine-while-adapt",
        "adapt-then-combine",
        "gradient-tracking",
        "allreduce"}) {
    for (const char* graph :
         {"ring", "complete", "exponential", "one-peer-exponential", "star"}) {
      for (const bool clipped : {false, true}) {
        SCOPED_TRACE(std::string(name) + " on " + graph);
        watched(
            {.graph = graph,
             .n = 8,
             .agreement = name,
             .slow = "random:0.3:2",
             .clipped = clipped});
      }
    }
  }
}

TEST(Watcher, NeighboursWaitForASlowWorker) {
  const Book book = watched({.slow = "2:3"});
  // Nearly all that 1 and 3 wait is for 2; 0 hears of it through them; and
  // what 2 waits is its own transfers.
  for (const int near : {1, 3})
    EXPECT_GT(book.waited(near, 2), 10 * book.waited(near, 0)) << near;
  const double far = book.waited(0, 1) + book.waited(0, 3);
  EXPECT_GT(far, 0.8 * book.waited(1, 2));
  const double own = book.waited(2, 1) + book.waited(2, 3);
  EXPECT_LT(own, 0.8 * far);
}

TEST(Watcher, BothEndsOfASlowLinkWaitForEachOther) {
  const Book book = watched(
      {.n = 6,
       .slow_links = {{.a = 2, .b = 3, .latency = 5e-3, .bandwidth = 10e6}}});
  EXPECT_EQ(book.waited(2, 1), 0);
  EXPECT_EQ(book.waited(3, 4), 0);
  EXPECT_GT(book.waited(2, 3), 1);
  EXPECT_EQ(book.waited(2, 3), book.waited(3, 2));
}

TEST(Watcher, EqualLinksShareTheBlame) {
  const Book book = watched({.n = 5});
  for (int i = 0; i < 5; ++i) {
    EXPECT_GT(book.waited(i, (i + 1) % 5), 0) << i;
    EXPECT_NEAR(
        book.waited(i, (i + 1) % 5),
        book.waited(i, (i + 4) % 5),
        kClose)
        << i;
  }
}

} // namespace
} // namespace grapevine::sim
