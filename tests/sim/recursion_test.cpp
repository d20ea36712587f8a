#include "sim/recursion.h"

#include "base/random.h"
#include "sim/support.h"

#include <gtest/gtest.h>

#include <algorithm>

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

IterationCompute
all_alike(int n, double forward, std::vector<double> backward) {
  return {
      .forward = std::vector<double>(n, forward),
      .backward = std::vector<std::vector<double>>(n, std::move(backward))};
}

// Two workers, two buckets, worked out by hand. Forward 1, backward 2 and 3,
// update 0.5 and 1, exchange 10 and 20.
class ByHand : public ::testing::Test {
 protected:
  IterationTimes step(Recursion& recursion) {
    return recursion.advance(
        all_alike(2, 1, {2, 3}),
        ring_exchange(graph::Mixing::complete(2), Network(links(0, 1), 2, 1)));
  }
  std::vector<int64_t> bytes_ = {10, 20};
  double update_ = 0.05;
};

TEST_F(ByHand, AdaptThenCombine) {
  Recursion recursion(
      2,
      algo::find_agreement("adapt-then-combine"),
      bytes_,
      update_);
  // Ready at 1+2+0.5 = 3.5 and 3.5+3+1 = 7.5; sent by 13.5 and 33.5.
  const IterationTimes times = step(recursion);
  EXPECT_NEAR(times.seconds, 33.5, kClose);
  EXPECT_NEAR(times.waited, 26, kClose);
  EXPECT_NEAR(times.computed, 7.5, kClose);
}

TEST_F(ByHand, GradientTracking) {
  Recursion recursion(
      2,
      algo::find_agreement("gradient-tracking"),
      bytes_,
      update_);
  // As before by 33.5; then another 10 and 20.
  const IterationTimes times = step(recursion);
  EXPECT_NEAR(times.seconds, 63.5, kClose);
  EXPECT_NEAR(times.waited, 56, kClose);
  EXPECT_NEAR(times.computed, 7.5, kClose);
}

TEST_F(ByHand, AllReduce) {
  Recursion recursion(2, algo::find_agreement("allreduce"), bytes_, update_);
  // Ready at 3 and 6, sent by 13 and 33; the first is updated meanwhile.
  const IterationTimes times = step(recursion);
  EXPECT_NEAR(times.seconds, 34, kClose);
  EXPECT_NEAR(times.waited, 7 + 19.5, kClose);
  EXPECT_NEAR(times.computed, 7.5, kClose);
}

TEST_F(ByHand, AllReduceClipped) {
  Recursion recursion(
      2,
      algo::find_agreement("allreduce"),
      bytes_,
      update_,
      true);
  const IterationTimes times = step(recursion);
  EXPECT_NEAR(times.seconds, 34.5, kClose);
}

TEST_F(ByHand, CombineWhileAdapt) {
  Recursion recursion(
      2,
      algo::find_agreement("combine-while-adapt"),
      bytes_,
      update_);
  // The first exchange runs from 0: sent by 10 and 30.
  IterationTimes times = step(recursion);
  EXPECT_NEAR(times.seconds, 31, kClose); // 10 + 0.5 + 3 < 30
  // Released at 10.5 and 31, and the link is free at 30: 40 and 60.
  times = step(recursion);
  EXPECT_NEAR(times.seconds, 61 - 31, kClose);
  EXPECT_NEAR(times.waited, (40 - 34) + (60 - 43.5), kClose);
  EXPECT_NEAR(times.computed, 7.5, kClose);
}

TEST_F(ByHand, ClippedUpdatesComeAfterBackward) {
  Recursion recursion(
      2,
      algo::find_agreement("adapt-then-combine"),
      bytes_,
      update_,
      true);
  // Ready at 6.5 and 7.5; sent by 16.5 and 36.5.
  EXPECT_NEAR(step(recursion).seconds, 36.5, kClose);
}

TEST(Recursion, GoesOnAfterRestore) {
  const int n = 8;
  const Network network(links(0.01, 1000), n, 2 - 1);
  const auto pairs = schedule("one-peer-exponential", n);
  for (const char* name :
       {"combine-while-adapt",
        "adapt-then-combine",
        "gradient-tracking",
        "allreduce"}) {
    Recursion whole(n, algo::find_agreement(name), kBuckets, 1e-4);
    Recursion later(n, algo::find_agreement(name), kBuckets, 1e-4);
    for (int step = 0; step < 20; ++step) {
      const auto exchange =
          plan_exchange(*plan_at(*pairs, step, 1150), network);
      const auto compute = random_compute(n, kBuckets.size(), step);
      if (step == 7) later.restore(whole.state());
      whole.advance(compute, exchange);
      if (step >= 7) later.advance(compute, exchange);
    }
    EXPECT_EQ(whole.state(), later.state());
    EXPECT_EQ(whole.now(), later.now());
  }
}

} // namespace
} // namespace grapevine::sim
