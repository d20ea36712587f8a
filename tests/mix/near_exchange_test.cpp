// Exchanges that their owner moves by hand: the bits of a plain mixing,
// whoever else uses a thread for it.
#include "mix/near_exchange.h"

#include "mix/comm_thread.h"
#include "mix/plan_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

namespace grapevine::mix {
namespace {

using testing::Case;
using testing::Near;
using testing::Planes;
using testing::run_workers;

constexpr int64_t kChunkBytes = 1 << 15;

CommunicatorOptions options_with_cores(int cores) {
  CommunicatorOptions options = testing::options_with(kChunkBytes);
  options.cores = cores;
  return options;
}

// Three buckets, from the end of the plane.
std::shared_ptr<const Cut> cut_of(int64_t count) {
  const int64_t third = count / 3 / kChunkMultiple * kChunkMultiple;
  const std::vector<std::vector<Range>> buckets = {
      {{2 * third, count}},
      {{third, 2 * third}},
      {{0, third}}};
  return make_cut(buckets, kChunkBytes);
}

// By hand where that can be, else, or where it is not to be, by the thread.
// Whether it was by hand.
bool exchange(
    Communicator& worker,
    CommThread& thread,
    Exchange& by_thread,
    const ExchangeSpec& request,
    bool may_be_by_hand) {
  NearExchange* by_hand = nullptr;
  if (may_be_by_hand) {
    thread.drain();
    EXPECT_TRUE(thread.is_idle());
    by_hand = worker.open_near(request);
  }
  const int buckets = request.cut->buckets();
  if (by_hand != nullptr) {
    for (int b = 0; b < buckets; ++b)
      by_hand->release(b);
    for (int b = 0; b < buckets; ++b)
      by_hand->wait(b);
    return true;
  }
  by_thread.open(request);
  thread.start(by_thread);
  for (int b = 0; b < buckets; ++b)
    by_thread.release(b);
  for (int b = 0; b < buckets; ++b)
    by_thread.wait(b);
  return false;
}

class ByHand : public ::testing::TestWithParam<int> {};

TEST_P(ByHand, GivesTheBitsOfAPlainMixing) {
  const int n = GetParam();
  const std::vector<Case> cases = testing::cases(n);
  constexpr int64_t kCount = 60'001;
  constexpr int kTurns = 2; // plans that are known, too
  const Planes planes = testing::make_planes(n, kCount);
  std::vector<Planes> results(cases.size(), Planes(n));
  std::atomic<int> by_hand = 0;
  const auto body = [&](Communicator& worker) {
    const int rank = worker.rank();
    const auto cut = cut_of(kCount);
    std::vector<float> plane;
    Exchange by_thread;
    CommThread thread(worker);
    for (size_t c = 0; c < cases.size() * kTurns; ++c) {
      plane = planes[rank];
      const size_t which = c % cases.size();
      // Neighbours use a thread now and then, each at another time.
      const bool may = (c + static_cast<size_t>(rank)) % 3 != 0;
      by_hand += exchange(
          worker,
          thread,
          by_thread,
          {.plan = cases[which].plan, .cut = cut, .plane = plane},
          may);
      results[which][rank] = plane;
    }
    thread.drain();
  };
  run_workers(n, options_with_cores(1), body, Near::kAll);
  EXPECT_EQ(by_hand > 0, n > 1);
  for (size_t c = 0; c < cases.size(); ++c) {
    ASSERT_TRUE(results[c] == testing::mix_all(*cases[c].plan, planes))
        << cases[c].name;
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, ByHand, ::testing::Values(1, 2, 3, 4, 7, 8));

// Of a ring of four workers: what a second exchange that each opens by hand
// gives, having met in a first one; `later` changes its request.
std::vector<bool> opened_by_hand(
    Near near,
    int cores,
    const std::function<void(ExchangeSpec&)>& later) {
  constexpr int kWorkers = 4;
  std::array<bool, kWorkers> opened{};
  const auto ring = make_plan(graph::Mixing::lattice(kWorkers, 2), 1 << 18);
  const auto body = [&](Communicator& worker) {
    std::vector<float> plane(50'000, 1);
    ExchangeSpec request{
        .plan = ring,
        .cut = cut_of(static_cast<int64_t>(plane.size())),
        .plane = plane};
    EXPECT_EQ(worker.open_near(request), nullptr) << "nobody has met so far";
    Exchange by_thread;
    CommThread thread(worker);
    exchange(worker, thread, by_thread, request, false);
    later(request);
    opened[worker.rank()] = exchange(worker, thread, by_thread, request, true);
    thread.drain();
  };
  run_workers(kWorkers, options_with_cores(cores), body, near);
  return std::vector<bool>(opened.begin(), opened.end());
}

TEST(NearExchange, IsForNearPeersWhereCoresAreShort) {
  const auto same = [](ExchangeSpec&) {};
  const std::vector<bool> all(4, true);
  const std::vector<bool> none(4, false);
  EXPECT_EQ(opened_by_hand(Near::kAll, 7, same), all);
  EXPECT_EQ(opened_by_hand(Near::kAll, 8, same), none);
  EXPECT_EQ(opened_by_hand(Near::kPairs, 1, same), none);
  EXPECT_EQ(opened_by_hand(Near::kNobody, 1, same), none);
}

// As combine-while-adapt does it: the next exchange opens before the last one
// is waited for, and bucket by bucket the terms of the one give the value of
// the other, which the owner may write into the outbox itself.
class AheadByHand : public ::testing::TestWithParam<int> {};

TEST_P(AheadByHand, GivesTheBitsOfAPlainMixing) {
  const int n = GetParam();
  constexpr int64_t kCount = 60'001;
  constexpr int kSteps = 12;
  std::vector<std::shared_ptr<const Plan>> plans;
  for (int shift = 1; shift < n; shift *= 2) {
    std::vector<std::vector<int>> neighbours(n);
    for (int i = 0; i < n; ++i)
      neighbours[i].push_back((i + shift) % n);
    plans.push_back(make_plan(graph::Mixing::uniform(neighbours), 1 << 18));
  }
  const auto plan_at = [&](int step) { return plans[step % plans.size()]; };
  Planes planes = testing::make_planes(n, kCount);
  Planes results(n);
  std::atomic<int> by_hand = 0;
  const auto body = [&](Communicator& worker) {
    const int rank = worker.rank();
    const auto cut = cut_of(kCount);
    std::vector<float> plane = planes[rank];
    const auto request_at = [&](int step) {
      return ExchangeSpec{
          .plan = plan_at(step),
          .cut = cut,
          .plane = plane,
          .in_place = false,
          .step = step};
    };
    Exchange met;
    CommThread thread(worker);
    const int last = cut->buckets() - 1;
    met.open(request_at(0));
    thread.start(met);
    met.release(last);
    met.wait(last);
    thread.drain();
    tensor::MixTerms mix = met.terms();
    NearExchange* before = nullptr;
    for (int step = 0; step < kSteps; ++step) {
      NearExchange* next = worker.open_near(request_at(step + 1));
      ASSERT_NE(next, nullptr);
      ++by_hand;
      int64_t c = 0;
      for (int b = 0; b <= last; ++b) {
        if (before != nullptr) {
          before->wait(b);
          mix = before->terms();
        }
        // Some buckets are written there, others left to release.
        float* outbox = (step + b + rank) % 3 == 0 ? nullptr : next->outbox(b);
        for (; c < cut->bucket_end[b]; ++c) {
          const Range chunk = cut->chunks[c];
          float* value = plane.data() + chunk.begin;
          tensor::mixed_value(value, mix, chunk.begin, chunk.size());
          if (outbox != nullptr)
            std::copy_n(value, chunk.size(), outbox + chunk.begin);
        }
        next->release(b);
      }
      before = next;
    }
    before->finish();
    results[rank] = plane;
    thread.drain();
  };
  run_workers(n, options_with_cores(1), body, Near::kAll);
  EXPECT_EQ(by_hand, n * kSteps);
  for (int step = 0; step < kSteps; ++step)
    planes = testing::mix_all(*plan_at(step), planes);
  EXPECT_TRUE(results == planes);
}

INSTANTIATE_TEST_SUITE_P(
    Workers,
    AheadByHand,
    ::testing::Values(2, 3, 4, 7, 8));

// A worker that has met the others, by a thread, and has opened the next
// exchange by hand.
struct Held {
  Held(Communicator& worker, const std::shared_ptr<const Plan>& plan)
      : request{.plan = plan, .cut = cut_of(static_cast<int64_t>(plane.size())), .plane = plane},
        thread(worker) {
    exchange(worker, thread, by_thread, request, false);
    thread.drain();
    by_hand = worker.open_near(request);
  }

  std::vector<float> plane = std::vector<float>(50'000, 1);
  ExchangeSpec request;
  Exchange by_thread;
  CommThread thread;
  NearExchange* by_hand = nullptr;
};

TEST(NearExchange, NamesThePeerThatItWaitedFor) {
  constexpr int kWorkers = 4;
  constexpr int kLate = 2;
  std::atomic<int> released = 0; // by the others
  const auto ring = make_plan(graph::Mixing::lattice(kWorkers, 2), 1 << 18);
  const auto body = [&](Communicator& worker) {
    Held held(worker, ring);
    NearExchange* by_hand = held.by_hand;
    ASSERT_NE(by_hand, nullptr);
    while (worker.rank() == kLate && released < kWorkers - 1)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (worker.rank() == kLate) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    const int last = held.request.cut->buckets() - 1;
    by_hand->release(last);
    ++released;
    // So that nobody has to wait for another of those who are in time.
    while (released < kWorkers - 1)
      std::this_thread::yield();
    const double seconds = by_hand->wait(0);
    // Its neighbours, unless they were themselves kept from waiting so long.
    if (worker.rank() % 2 != kLate % 2 && seconds > 0) {
      EXPECT_EQ(by_hand->waited_for(), kLate);
    }
    by_hand->wait(last);
    EXPECT_EQ(by_hand->traffic().messages, 2);
  };
  run_workers(kWorkers, options_with_cores(1), body, Near::kAll);
}

TEST(NearExchange, WhoIsAmidOneGivesItUp) {
  const auto plan = make_plan(graph::Mixing::uniform({{1}, {0}}), 1 << 18);
  const auto body = [&](Communicator& worker) {
    Held held(worker, plan);
    NearExchange* by_hand = held.by_hand;
    CommThread& thread = held.thread;
    ASSERT_NE(by_hand, nullptr);
    by_hand->release(0);
    EXPECT_FALSE(thread.abandon(false)) << "it was idle";
    EXPECT_TRUE(thread.abandon(true));
    EXPECT_FALSE(thread.is_idle());
    EXPECT_THROW(thread.drain(), TransportError);
  };
  run_workers(2, options_with_cores(1), body, Near::kAll);
}

} // namespace
} // namespace grapevine::mix
