// Planes on their way while their owner goes on, over threads: the same bits
// as a plain mixing, for every plan, cut and order of buckets, whoever moves
// them.
#include "mix/comm_thread.h"
#include "mix/inline_exchange.h"
#include "mix/plan_support.h"
#include "mix/thread_exchange.h"
#include "tensor/kernels/mix_terms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <tuple>

namespace grapevine::mix {
namespace {

using testing::Case;
using testing::Near;
using testing::options_with;
using testing::Planes;
using testing::run_workers;

constexpr int64_t kChunkBytes = 1 << 15;

// Without cores for communication threads, or with too many to be short.
CommunicatorOptions options_with_cores(int cores) {
  CommunicatorOptions options = options_with(kChunkBytes);
  options.cores = cores;
  return options;
}

// Buckets from the end of the plane, as backward has them; the second of them
// in two ranges.
std::vector<std::vector<Range>> backward_buckets(int64_t count) {
  constexpr int64_t kStep = 2 * kChunkMultiple;
  std::vector<std::vector<Range>> buckets;
  for (int64_t begin = (count - 1) / kStep * kStep; begin >= 0;
       begin -= kStep) {
    buckets.push_back({{begin, std::min(begin + kStep, count)}});
  }
  if (buckets.size() > 3) {
    buckets[1].push_back(buckets[3][0]);
    std::ranges::sort(buckets[1], {}, &Range::begin);
    buckets.erase(buckets.begin() + 3);
  }
  return buckets;
}

std::shared_ptr<const Cut> cut_of(int64_t count) {
  return make_cut(backward_buckets(count), kChunkBytes);
}

// The value of a plane after an exchange, put together by its owner.
std::vector<float> combined(
    const tensor::MixTerms& terms,
    const std::vector<float>& plane) {
  if (terms.terms.empty()) return plane;
  std::vector<float> result(plane.size());
  tensor::mixed_value(
      result.data(),
      terms,
      0,
      static_cast<int64_t>(plane.size()));
  return result;
}

// What a worker needs to exchange planes.
struct Owner {
  explicit Owner(Communicator& communicator)
      : communicator(communicator),
        thread(communicator) {
    costs.waits.resize(communicator.size());
  }

  // Moved by the thread, or by the owner itself if it `may` and can; the two
  // kinds are used in turns with those of before.
  PeerExchange& begin(const ExchangeSpec& spec, bool may_be_inline = false) {
    const size_t turn = turn_++ % 2;
    if (may_be_inline && thread.is_idle() &&
        communicator.open(by_owner[turn], spec)) {
      return by_owner[turn];
    }
    by_thread[turn].open(spec);
    thread.start(by_thread[turn]);
    return by_thread[turn];
  }
  bool is_inline(const PeerExchange& exchange) const {
    return &exchange == &by_owner[0] || &exchange == &by_owner[1];
  }

  static void release_all(PeerExchange& exchange) {
    for (int b = 0; b < exchange.spec().cut->buckets(); ++b)
      exchange.release(0, b);
  }
  static tensor::MixTerms wait_for_all(PeerExchange& exchange) {
    tensor::MixTerms terms;
    for (int b = 0; b < exchange.spec().cut->buckets(); ++b)
      terms = exchange.wait(0, b);
    return terms;
  }
  tensor::MixTerms run(const ExchangeSpec& spec) {
    PeerExchange& exchange = begin(spec);
    release_all(exchange);
    return wait_for_all(exchange);
  }

  Communicator& communicator;
  MixCosts costs;
  std::array<ThreadExchange, 2> by_thread{
      {{communicator, costs}, {communicator, costs}}};
  std::array<InlineExchange, 2> by_owner{
      {InlineExchange(costs), InlineExchange(costs)}};
  CommThread thread;

 private:
  size_t turn_ = 0;
};

class ExchangeSweep : public ::testing::TestWithParam<std::tuple<int, Near>> {};

TEST_P(ExchangeSweep, GivesTheBitsOfAPlainMixing) {
  const auto [n, near] = GetParam();
  const std::vector<Case> cases = testing::cases(n);
  for (const int64_t count : {1, 7, 1000, (1 << 16) + 1}) {
    const Planes planes = testing::make_planes(n, count);
    for (const bool in_place : {true, false}) {
      std::vector<Planes> results(cases.size(), Planes(n));
      const auto body = [&](Communicator& worker) {
        const auto cut = cut_of(count);
        std::vector<float> plane;
        Owner owner(worker);
        for (size_t c = 0; c < cases.size(); ++c) {
          plane = planes[worker.rank()];
          const auto terms = owner.run({cases[c].plan, cut, plane, in_place});
          results[c][worker.rank()] = combined(terms, plane);
        }
        owner.thread.drain();
      };
      run_workers(n, options_with(kChunkBytes), body, near);
      for (size_t c = 0; c < cases.size(); ++c) {
        ASSERT_TRUE(results[c] == testing::mix_all(*cases[c].plan, planes))
            << cases[c].name << ", count " << count << ", in place "
            << in_place;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Workers,
    ExchangeSweep,
    ::testing::Combine(
        ::testing::Values(1, 2, 3, 4, 7, 8),
        ::testing::ValuesIn(testing::kNears)));

class ExchangeAmong : public ::testing::TestWithParam<Near> {
 protected:
  void run(int n, const std::function<void(Communicator&)>& body) const {
    run_workers(n, options_with(kChunkBytes), body, GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(
    Who,
    ExchangeAmong,
    ::testing::ValuesIn(testing::kNears));

// x(t+1) = W(t) x(t) + 1, with the exchange of x(t+1) started bucket by bucket
// while that of x(t) is still being waited for.
TEST_P(ExchangeAmong, TwoAreOpenAtOnce) {
  constexpr int kWorkers = 4;
  constexpr int64_t kCount = 60'001;
  constexpr int kSteps = 30;
  const auto plan_at = [](int step) {
    const auto groups = testing::random_groups(kWorkers, 1 + step % 4, step);
    return make_plan(graph::Mixing::groups(kWorkers, groups), 1 << 18);
  };
  std::vector<std::shared_ptr<const Plan>> plans;
  for (int step = 0; step <= kSteps; ++step)
    plans.push_back(plan_at(step));
  Planes expected = testing::make_planes(kWorkers, kCount);
  Planes planes = expected;
  for (int step = 0; step < kSteps; ++step) {
    expected = testing::mix_all(*plans[step], std::move(expected));
    for (auto& plane : expected) {
      for (float& value : plane)
        value += 1;
    }
  }
  const auto body = [&](Communicator& worker) {
    std::vector<float>& x = planes[worker.rank()];
    const auto buckets = backward_buckets(kCount);
    const auto cut = cut_of(kCount);
    Owner owner(worker);
    PeerExchange* now = &owner.begin({plans[0], cut, x, false, 0});
    now->release(0, cut->buckets() - 1);
    for (int step = 0; step < kSteps; ++step) {
      PeerExchange& next =
          owner.begin({plans[step + 1], cut, x, false, step + 1});
      for (int b = 0; b < cut->buckets(); ++b) {
        const tensor::MixTerms terms = now->wait(0, b);
        for (const Range& range : buckets[b]) {
          tensor::mixed_value(
              x.data() + range.begin,
              terms,
              range.begin,
              range.size());
          for (int64_t e = range.begin; e < range.end; ++e)
            x[e] += 1;
        }
        next.release(0, b);
      }
      now = &next;
    }
    owner.thread.drain();
  };
  run(kWorkers, body);
  EXPECT_EQ(planes, expected);
}

// Exchanges of one communicator may be cut in different ways, in place and
// not, with any plan.
TEST_P(ExchangeAmong, CutsMayChange) {
  constexpr int kWorkers = 4;
  constexpr int64_t kCount = 40'000;
  constexpr int kSteps = 40;
  const std::vector<Case> cases = testing::cases(kWorkers);
  Planes expected = testing::make_planes(kWorkers, kCount);
  Planes planes = expected;
  for (int step = 0; step < kSteps; ++step) {
    const Case& mixing = cases[step % cases.size()];
    expected = testing::mix_all(*mixing.plan, std::move(expected));
  }
  const auto body = [&](Communicator& worker) {
    std::vector<float>& x = planes[worker.rank()];
    const std::vector<std::vector<Range>> whole = {{{0, kCount}}};
    const std::vector<std::shared_ptr<const Cut>> cuts{
        make_cut(backward_buckets(kCount), 1 << 14),
        make_cut(backward_buckets(kCount), 1 << 16),
        make_cut(whole, 1 << 15)};
    Owner owner(worker);
    for (int step = 0; step < kSteps; ++step) {
      const auto& cut = cuts[step / 3 % cuts.size()];
      const Case& mixing = cases[step % cases.size()];
      x = combined(owner.run({mixing.plan, cut, x, step % 2 == 0, step}), x);
    }
    owner.thread.drain();
  };
  run(kWorkers, body);
  EXPECT_EQ(planes, expected);
}

// Started in turns with calls, which find the exchange over, waited for or not.
TEST_P(ExchangeAmong, IsOverWhenACallRuns) {
  constexpr int kWorkers = 4;
  const auto ring = make_plan(graph::Mixing::lattice(kWorkers, 2), 1 << 20);
  const auto body = [&](Communicator& worker) {
    const int rank = worker.rank();
    const auto mean =
        static_cast<float>((rank + 3) % 4 + rank + (rank + 1) % 4) / 3;
    std::vector<float> plane(20'000);
    const auto cut = cut_of(20'000);
    Owner owner(worker);
    for (int step = 0; step < 10; ++step) {
      std::ranges::fill(plane, static_cast<float>(rank));
      PeerExchange& exchange = owner.begin({ring, cut, plane, true, step});
      exchange.release(0, cut->buckets() - 1);
      if (step % 3 == 1) exchange.wait(0, 0);
      owner.thread.call([&] { barrier(worker); });
      EXPECT_FLOAT_EQ(plane.front(), mean);
      EXPECT_FLOAT_EQ(plane.back(), mean);
      EXPECT_EQ(exchange.traffic().messages, 2);
      if (step % 3 != 0) exchange.wait(0, cut->buckets() - 1);
      EXPECT_EQ(exchange.is_open(), step % 3 == 0);
    }
    EXPECT_EQ(owner.costs.traffic.messages, 2 * 6);
  };
  run(kWorkers, body);
}

TEST(CommThread, CallsRunAfterWhatWasStarted) {
  run_workers(3, options_with(kChunkBytes), [&](Communicator& worker) {
    std::vector<float> plane(10'000, static_cast<float>(worker.rank()));
    const auto cut = cut_of(10'000);
    Owner owner(worker);
    Owner::release_all(owner.begin({make_all_reduce_plan(3), cut, plane}));
    bool heard = false;
    owner.thread.call([&] { heard = any(worker, worker.rank() == 2); });
    EXPECT_TRUE(heard);
    EXPECT_EQ(plane[0], 1.0f);
    EXPECT_THROW(
        owner.thread.call([] { throw ConfigError("mine"); }),
        ConfigError);
  });
}

// A worker that ends in the middle of an exchange does not wait for anybody,
// and its peers are told.
TEST_P(ExchangeAmong, IsGivenUpWithoutWaiting) {
  std::atomic<int> failed = 0;
  const auto ring = make_plan(graph::Mixing::lattice(4, 2), 1 << 20);
  const auto body = [&](Communicator& worker) {
    std::vector<float> plane(100'000, 1.0f);
    Owner owner(worker);
    PeerExchange& exchange = owner.begin({ring, cut_of(100'000), plane});
    exchange.release(0, 0);
    if (worker.rank() == 0) return;
    try {
      Owner::release_all(exchange);
      Owner::wait_for_all(exchange);
      EXPECT_EQ(worker.rank(), 2); // whose neighbours may be in time
    } catch (const TransportError&) {
      ++failed;
    }
  };
  run(4, body);
  EXPECT_GE(failed, 2);
}

TEST_P(ExchangeAmong, NamesThePeerThatItWaitedFor) {
  const auto pair = make_plan(graph::Mixing::complete(2), 1 << 20);
  std::atomic<bool> is_waiting = false;
  const auto body = [&](Communicator& worker) {
    std::vector<float> plane(1000, 1.0f);
    Owner owner(worker);
    PeerExchange& exchange = owner.begin({pair, cut_of(1000), plane});
    if (worker.rank() == 1) {
      while (!is_waiting)
        std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    exchange.release(0, 0);
    if (worker.rank() == 0) is_waiting = true;
    exchange.wait(0, 0);
    if (worker.rank() == 0) {
      EXPECT_GT(owner.costs.wait_seconds, 0.01);
      EXPECT_EQ(owner.costs.waited_for, 1);
      EXPECT_EQ(owner.costs.waits[1], owner.costs.wait_seconds);
    }
    owner.thread.drain();
  };
  run(2, body);
}

class Inline : public ::testing::TestWithParam<int> {};

TEST_P(Inline, GivesTheBitsOfAPlainMixing) {
  const int n = GetParam();
  const std::vector<Case> cases = testing::cases(n);
  constexpr int64_t kCount = 60'001;
  constexpr int kTurns = 2; // plans that are known, too
  const Planes planes = testing::make_planes(n, kCount);
  std::vector<Planes> results(cases.size(), Planes(n));
  std::atomic<int> moved_inline = 0;
  const auto body = [&](Communicator& worker) {
    const int rank = worker.rank();
    const auto cut = cut_of(kCount);
    std::vector<float> plane;
    Owner owner(worker);
    for (size_t c = 0; c < cases.size() * kTurns; ++c) {
      plane = planes[rank];
      const size_t which = c % cases.size();
      owner.thread.drain();
      // Neighbours use a thread now and then, each at another time.
      const bool may = (c + static_cast<size_t>(rank)) % 3 != 0;
      PeerExchange& exchange =
          owner.begin({cases[which].plan, cut, plane}, may);
      moved_inline += owner.is_inline(exchange);
      Owner::release_all(exchange);
      Owner::wait_for_all(exchange);
      results[which][rank] = plane;
    }
    owner.thread.drain();
  };
  run_workers(n, options_with_cores(1), body, Near::kAll);
  EXPECT_EQ(moved_inline > 0, n > 1);
  for (size_t c = 0; c < cases.size(); ++c) {
    ASSERT_TRUE(results[c] == testing::mix_all(*cases[c].plan, planes))
        << cases[c].name;
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, Inline, ::testing::Values(1, 2, 3, 4, 7, 8));

// A worker that has met the others, by a thread, and may begin the next
// exchange inline.
struct Met : Owner {
  Met(Communicator& worker, std::shared_ptr<const Plan> plan)
      : Owner(worker),
        spec{.plan = std::move(plan), .cut = cut_of(50'000), .plane = plane} {
    EXPECT_FALSE(communicator.open(by_owner[1], spec)) << "nobody has met";
    run(spec);
    thread.drain();
  }

  std::vector<float> plane = std::vector<float>(50'000, 1);
  ExchangeSpec spec;
};

TEST(InlineExchange, IsForNearPeersWhereCoresAreShort) {
  constexpr int kWorkers = 4;
  const auto ring = make_plan(graph::Mixing::lattice(kWorkers, 2), 1 << 18);
  struct Expected {
    Near near;
    int cores;
    bool is_inline;
  };
  for (const Expected& it :
       {Expected{Near::kAll, 7, true},
        {Near::kAll, 8, false},
        {Near::kPairs, 1, false},
        {Near::kNobody, 1, false}}) {
    const auto body = [&](Communicator& worker) {
      Met owner(worker, ring);
      PeerExchange& exchange = owner.begin(owner.spec, true);
      EXPECT_EQ(owner.is_inline(exchange), it.is_inline);
      Owner::release_all(exchange);
      Owner::wait_for_all(exchange);
      owner.thread.drain();
    };
    run_workers(kWorkers, options_with_cores(it.cores), body, it.near);
  }
}

// As combine-while-adapt does it: the next exchange opens before the last one
// is waited for, and bucket by bucket the terms of the one give the value of
// the other, which the owner may write into the outbox itself.
class InlineAhead : public ::testing::TestWithParam<int> {};

TEST_P(InlineAhead, GivesTheBitsOfAPlainMixing) {
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
  const auto body = [&](Communicator& worker) {
    const int rank = worker.rank();
    const auto cut = cut_of(kCount);
    std::vector<float> plane = planes[rank];
    Owner owner(worker);
    const auto spec_at = [&](int step) {
      return ExchangeSpec{plan_at(step), cut, plane, false, step};
    };
    tensor::MixTerms mix = owner.run(spec_at(0));
    owner.thread.drain();
    PeerExchange* before = nullptr;
    for (int step = 0; step < kSteps; ++step) {
      PeerExchange& next = owner.begin(spec_at(step + 1), true);
      ASSERT_TRUE(owner.is_inline(next));
      int64_t c = 0;
      for (int b = 0; b < cut->buckets(); ++b) {
        if (before != nullptr) mix = before->wait(0, b);
        // Some buckets are written there, others left to release.
        float* outbox =
            (step + b + rank) % 3 == 0 ? nullptr : next.outbox(0, b);
        for (; c < cut->bucket_end[b]; ++c) {
          const Range chunk = cut->chunks[c];
          float* value = plane.data() + chunk.begin;
          tensor::mixed_value(value, mix, chunk.begin, chunk.size());
          if (outbox != nullptr)
            std::copy_n(value, chunk.size(), outbox + chunk.begin);
        }
        next.release(0, b);
      }
      before = &next;
    }
    Owner::wait_for_all(*before);
    results[rank] = plane;
    owner.thread.drain();
  };
  run_workers(n, options_with_cores(1), body, Near::kAll);
  for (int step = 0; step < kSteps; ++step)
    planes = testing::mix_all(*plan_at(step), planes);
  EXPECT_TRUE(results == planes);
}

INSTANTIATE_TEST_SUITE_P(
    Workers,
    InlineAhead,
    ::testing::Values(2, 3, 4, 7, 8));

TEST(InlineExchange, NamesThePeerThatItWaitedFor) {
  constexpr int kWorkers = 4;
  constexpr int kLate = 2;
  std::atomic<int> released = 0; // by the others
  const auto ring = make_plan(graph::Mixing::lattice(kWorkers, 2), 1 << 18);
  const auto body = [&](Communicator& worker) {
    Met owner(worker, ring);
    const double waited = owner.costs.wait_seconds;
    PeerExchange& exchange = owner.begin(owner.spec, true);
    ASSERT_TRUE(owner.is_inline(exchange));
    while (worker.rank() == kLate && released < kWorkers - 1)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (worker.rank() == kLate) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    exchange.release(0, owner.spec.cut->buckets() - 1);
    ++released;
    // So that nobody has to wait for another of those who are in time.
    while (released < kWorkers - 1)
      std::this_thread::yield();
    exchange.wait(0, 0);
    // Its neighbours, unless they were themselves kept from waiting so long.
    if (worker.rank() % 2 != kLate % 2 && owner.costs.wait_seconds > waited) {
      EXPECT_EQ(owner.costs.waited_for, kLate);
    }
    exchange.wait(0, owner.spec.cut->buckets() - 1);
    EXPECT_EQ(exchange.traffic().messages, 2);
  };
  run_workers(kWorkers, options_with_cores(1), body, Near::kAll);
}

TEST(InlineExchange, IsGivenUpByAnOwnerAmidOne) {
  const auto plan = make_plan(graph::Mixing::uniform({{1}, {0}}), 1 << 18);
  const auto body = [&](Communicator& worker) {
    Met owner(worker, plan);
    PeerExchange& exchange = owner.begin(owner.spec, true);
    ASSERT_TRUE(owner.is_inline(exchange));
    exchange.release(0, 0);
    EXPECT_FALSE(owner.thread.abandon(false)) << "it was idle";
    EXPECT_TRUE(owner.thread.abandon(true));
    EXPECT_FALSE(owner.thread.is_idle());
    EXPECT_THROW(owner.thread.drain(), TransportError);
  };
  run_workers(2, options_with_cores(1), body, Near::kAll);
}

} // namespace
} // namespace grapevine::mix
