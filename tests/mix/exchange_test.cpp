// Planes on their way while their owner goes on, over threads: the same bits
// as a plain mixing, for every plan, cut and order of buckets.
#include "mix/comm_thread.h"
#include "mix/plan_support.h"
#include "tensor/kernels/mix_terms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <tuple>

namespace grapevine::mix {
namespace {

using testing::Case;
using testing::Near;
using testing::options_with;
using testing::Planes;
using testing::run_workers;

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

// What a worker has after the exchange, put together by itself.
std::vector<float> combined(
    const Exchange& exchange,
    const std::vector<float>& plane) {
  const tensor::MixTerms terms = exchange.terms();
  if (terms.terms.empty()) return plane;
  std::vector<float> result(plane.size());
  tensor::mixed_value(
      result.data(),
      terms,
      0,
      static_cast<int64_t>(plane.size()));
  return result;
}

class ExchangeSweep : public ::testing::TestWithParam<std::tuple<int, Near>> {};

TEST_P(ExchangeSweep, GivesTheBitsOfAPlainMixing) {
  const auto [n, near] = GetParam();
  const std::vector<Case> cases = testing::cases(n);
  for (const int64_t count : {1, 7, 1000, (1 << 16) + 1}) {
    const Planes planes = testing::make_planes(n, count);
    for (const bool in_place : {true, false}) {
      std::vector<Planes> results(cases.size(), Planes(n));
      const auto body = [&](Communicator& worker) {
        const auto cut = make_cut(backward_buckets(count), 1 << 15);
        std::vector<float> plane = planes[worker.rank()];
        Exchange exchange;
        CommThread thread(worker);
        for (size_t c = 0; c < cases.size(); ++c) {
          plane = planes[worker.rank()];
          exchange.open({cases[c].plan, cut, plane, in_place});
          thread.start(exchange);
          for (int b = 0; b < cut->buckets(); ++b)
            exchange.release(b);
          for (int b = 0; b < cut->buckets(); ++b)
            exchange.wait(b);
          results[c][worker.rank()] = combined(exchange, plane);
        }
        thread.drain();
      };
      run_workers(n, options_with(1 << 15), body, near);
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
    run_workers(n, options_with(1 << 15), body, GetParam());
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
    const auto cut = make_cut(buckets, 1 << 15);
    std::array<Exchange, 2> exchanges;
    CommThread thread(worker);
    const auto open = [&](int step) {
      exchanges[step % 2].open({plans[step], cut, x, false, step});
      thread.start(exchanges[step % 2]);
    };
    open(0);
    exchanges[0].release(cut->buckets() - 1);
    for (int step = 0; step < kSteps; ++step) {
      Exchange& now = exchanges[step % 2];
      Exchange& next = exchanges[(step + 1) % 2];
      open(step + 1);
      for (int b = 0; b < cut->buckets(); ++b) {
        now.wait(b);
        for (const Range& range : buckets[b]) {
          tensor::mixed_value(
              x.data() + range.begin,
              now.terms(),
              range.begin,
              range.size());
          for (int64_t e = range.begin; e < range.end; ++e)
            x[e] += 1;
        }
        next.release(b);
      }
    }
    thread.drain();
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
    std::vector<std::shared_ptr<const Cut>> cuts;
    cuts.push_back(make_cut(backward_buckets(kCount), 1 << 14));
    cuts.push_back(make_cut(backward_buckets(kCount), 1 << 16));
    const std::vector<std::vector<Range>> whole = {{{0, kCount}}};
    cuts.push_back(make_cut(whole, 1 << 15));
    Exchange exchange;
    CommThread thread(worker);
    for (int step = 0; step < kSteps; ++step) {
      const auto& cut = cuts[step / 3 % cuts.size()];
      const Case& mixing = cases[step % cases.size()];
      exchange.open({mixing.plan, cut, x, step % 2 == 0, step});
      thread.start(exchange);
      exchange.release(cut->buckets() - 1);
      for (int b = 0; b < cut->buckets(); ++b)
        exchange.wait(b);
      x = combined(exchange, x);
    }
    thread.drain();
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
    const auto cut = make_cut(backward_buckets(20'000), 1 << 15);
    Exchange exchange;
    CommThread thread(worker);
    for (int step = 0; step < 10; ++step) {
      std::ranges::fill(plane, static_cast<float>(rank));
      exchange.open({ring, cut, plane, true, step});
      thread.start(exchange);
      exchange.release(cut->buckets() - 1);
      if (step % 3 == 1) exchange.wait(0);
      thread.call([&] { worker.barrier(); });
      EXPECT_FLOAT_EQ(plane.front(), mean);
      EXPECT_FLOAT_EQ(plane.back(), mean);
      if (step % 3 != 0) exchange.wait(cut->buckets() - 1);
    }
    EXPECT_EQ(worker.traffic().messages, 20);
  };
  run(kWorkers, body);
}

TEST(Exchange, CallsRunBehindWhatWasStarted) {
  run_workers(3, options_with(1 << 15), [&](Communicator& worker) {
    std::vector<float> plane(10'000, static_cast<float>(worker.rank()));
    const auto cut = make_cut(backward_buckets(10'000), 1 << 15);
    Exchange exchange;
    CommThread thread(worker);
    exchange.open({make_all_reduce_plan(3), cut, plane});
    thread.start(exchange);
    exchange.release(cut->buckets() - 1);
    bool any = false;
    thread.call([&] { any = worker.any(worker.rank() == 2); });
    EXPECT_TRUE(any);
    EXPECT_EQ(plane[0], 1.0f);
    EXPECT_THROW(thread.call([] { throw ConfigError("mine"); }), ConfigError);
  });
}

// A worker that ends in the middle of an exchange does not wait for anybody,
// and its peers are told.
TEST_P(ExchangeAmong, IsGivenUpWithoutWaiting) {
  std::atomic<int> failed = 0;
  const auto ring = make_plan(graph::Mixing::lattice(4, 2), 1 << 20);
  const auto body = [&](Communicator& worker) {
    std::vector<float> plane(100'000, 1.0f);
    const auto cut = make_cut(backward_buckets(100'000), 1 << 15);
    Exchange exchange;
    CommThread thread(worker);
    exchange.open({ring, cut, plane});
    thread.start(exchange);
    exchange.release(0);
    if (worker.rank() == 0) return;
    exchange.release(cut->buckets() - 1);
    try {
      exchange.wait(cut->buckets() - 1);
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
    const auto cut = make_cut(backward_buckets(1000), 1 << 15);
    Exchange exchange;
    CommThread thread(worker);
    exchange.open({pair, cut, plane});
    thread.start(exchange);
    if (worker.rank() == 1) {
      while (!is_waiting)
        std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    exchange.release(0);
    if (worker.rank() == 0) is_waiting = true;
    const double seconds = exchange.wait(0);
    if (worker.rank() == 0) {
      EXPECT_GT(seconds, 0.01);
      EXPECT_EQ(exchange.waited_for(), 1);
    }
    thread.drain();
  };
  run(2, body);
}

} // namespace
} // namespace grapevine::mix
