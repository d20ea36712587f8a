// When n workers do what, whom they wait for, and what they do when.
#include "sim/recursion.h"

#include "base/random.h"
#include "sim/support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace grapevine::sim {
namespace {

// The recursion of the paper written down as it stands there, for groups whose
// exchange of S bytes takes latency + S / rate once all have come.
struct PaperModel {
  int n;
  std::vector<int64_t> bytes;
  double update_per_byte;
  double latency;
  double rate;

  std::vector<double> s_end;          // s[i,B,t-1] or e[i,t-1]
  std::vector<std::vector<double>> s; // by bucket: of t-1
  std::vector<double> free;

  PaperModel(
      int n,
      std::vector<int64_t> bytes,
      double update,
      double latency,
      double rate)
      : n(n),
        bytes(std::move(bytes)),
        update_per_byte(update),
        latency(latency),
        rate(rate),
        s_end(n),
        s(this->bytes.size(), std::vector<double>(n)),
        free(n) {}

  double exchange_seconds(size_t members, int64_t size) const {
    const double g = static_cast<double>(members);
    const double hops = members == 2 ? 1 : 2 * (g - 1);
    return 2 * (g - 1) / g * static_cast<double>(size) / rate + hops * latency;
  }

  // c[E,b] for all workers.
  std::vector<std::vector<double>> exchange(
      const std::vector<std::vector<int>>& groups,
      const std::vector<std::vector<double>>& ready) {
    std::vector<std::vector<double>> c = ready;
    for (size_t b = 0; b < bytes.size(); ++b) {
      for (const auto& group : groups) {
        if (group.size() == 1) continue;
        double start = 0;
        for (const int j : group)
          start = std::max({start, ready[b][j], free[j]});
        const double end = start + exchange_seconds(group.size(), bytes[b]);
        for (const int j : group)
          c[b][j] = free[j] = end;
      }
    }
    return c;
  }

  void decentralized(
      const IterationCompute& compute,
      const std::vector<std::vector<int>>& groups) {
    const auto c = exchange(groups, s);
    for (int i = 0; i < n; ++i) {
      double time = s_end[i] + compute.forward[i];
      for (size_t b = 0; b < bytes.size(); ++b) {
        const double ready = time + compute.backward[i][b];
        time = std::max(ready, c[b][i]) +
               update_per_byte * static_cast<double>(bytes[b]);
        s[b][i] = time;
      }
      s_end[i] = time;
    }
  }

  void all_reduce(const IterationCompute& compute) {
    std::vector<std::vector<int>> all(1);
    for (int i = 0; i < n; ++i) {
      all[0].push_back(i);
      double time = s_end[i] + compute.forward[i];
      for (size_t b = 0; b < bytes.size(); ++b)
        s[b][i] = time += compute.backward[i][b];
    }
    const auto c = exchange(all, s);
    for (int i = 0; i < n; ++i)
      s_end[i] = std::max(s.back()[i], c.back()[i]);
  }
};

IterationCompute random_compute(int n, size_t buckets, int64_t step) {
  IterationCompute compute;
  for (int i = 0; i < n; ++i) {
    Random random(7, Purpose::kTest, i, step);
    compute.forward.push_back(random.uniform());
    auto& backward = compute.backward.emplace_back();
    for (size_t b = 0; b < buckets; ++b)
      backward.push_back(random.uniform());
  }
  return compute;
}

const std::vector<int64_t> kBuckets = {300, 100, 50, 700};

TEST(Recursion, IsThePapersForPairsAndGroups) {
  const int n = 8;
  const Network network(links(0.01, 1000), n, 1);
  for (const char* graph : {"one-peer-exponential", "aer", "one-peer-ring"}) {
    for (const double update : {0.0, 1e-4}) {
      const auto pairs = schedule(graph, n);
      PaperModel paper(n, kBuckets, update, 0.01, 1000);
      Recursion ours(
          n,
          algo::find_agreement("combine-while-adapt"),
          kBuckets,
          update);
      for (int step = 0; step < 50; ++step) {
        const auto mixing = pairs->at({.step = step});
        const auto compute = random_compute(n, kBuckets.size(), step);
        paper.decentralized(compute, mixing->group_list());
        ours.advance(compute, ring_exchange(*mixing, network));
        for (int i = 0; i < n; ++i)
          ASSERT_NEAR(ours.ends()[i], paper.s_end[i], kClose) << graph;
      }
    }
  }
}

TEST(Recursion, IsThePapersForAllReduce) {
  const int n = 8;
  const Network network(links(0.01, 1000), n, 1);
  const auto exchange = ring_exchange(graph::Mixing::complete(n), network);
  PaperModel paper(n, kBuckets, 0, 0.01, 1000);
  Recursion ours(n, algo::find_agreement("allreduce"), kBuckets, 0);
  for (int step = 0; step < 50; ++step) {
    const auto compute = random_compute(n, kBuckets.size(), step);
    paper.all_reduce(compute);
    ours.advance(compute, exchange);
    for (int i = 0; i < n; ++i)
      ASSERT_NEAR(ours.ends()[i], paper.s_end[i], kClose);
  }
}

// Two workers, two buckets, worked out by hand. Forward 1, backward 2 and 3,
// update 0.5 and 1, exchange 10 and 20.
struct ByHand {
  Recursion recursion;

  explicit ByHand(const std::string& agreement, bool clipped = false)
      : recursion(2, algo::find_agreement(agreement), {10, 20}, 0.05, clipped) {
  }

  IterationTimes step() {
    const IterationCompute compute{
        .forward = {1, 1},
        .backward = {{2, 3}, {2, 3}}};
    const Network network(links(0, 1), 2, 1);
    return recursion.advance(
        compute,
        ring_exchange(graph::Mixing::complete(2), network));
  }

  void expect(double seconds, double waited) {
    const IterationTimes times = step();
    EXPECT_NEAR(times.seconds, seconds, kClose);
    EXPECT_NEAR(times.waited, waited, kClose);
    EXPECT_NEAR(times.computed, 7.5, kClose);
  }
};

TEST(Recursion, IsWhatComesOutByHand) {
  // Ready at 1+2+0.5 = 3.5 and 3.5+3+1 = 7.5; sent by 13.5 and 33.5.
  ByHand("adapt-then-combine").expect(33.5, 26);
  // Ready at 6.5 and 7.5, behind all of backward; sent by 16.5 and 36.5.
  ByHand("adapt-then-combine", true).expect(36.5, 29);
  // As before by 33.5; then another 10 and 20.
  ByHand("gradient-tracking").expect(63.5, 56);
  // Ready at 3 and 6, sent by 13 and 33; the first is updated meanwhile.
  ByHand("allreduce").expect(34, 7 + 19.5);
  // Or not, where the norm of all of them is needed.
  ByHand("allreduce", true).expect(34.5, 27);
  // The first exchange runs from 0: sent by 10 and 30. 10 + 0.5 + 3 < 30.
  ByHand ahead("combine-while-adapt");
  ahead.expect(31, 7 + 16.5);
  // Released at 10.5 and 31, and the link is free at 30: 40 and 60.
  ahead.expect(61 - 31, (40 - 34) + (60 - 43.5));
}

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

struct Watched {
  std::string graph = "ring";
  int n = 4;
  std::string agreement = "adapt-then-combine";
  std::vector<LinkRate> slow_links = {};
  std::string slow = {};
  bool clipped = false;
};

Book watched(const Watched& world) {
  Costs costs = cluster(
      1e-4,
      50e6,
      uniform_compute(
          5e-3,
          10e-3,
          1e-3,
          {kMegabyte, kMegabyte, kMegabyte / 2}));
  costs.link_rates = world.slow_links;
  ModelOptions options = workers(world.n, world.agreement);
  options.after_backward = world.clipped;
  options.slow = parse_slow(world.slow);
  RuntimeModel model(costs, options);
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
