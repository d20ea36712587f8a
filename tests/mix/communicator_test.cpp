// Workers as threads over the local transport.
#include "mix/communicator.h"
#include "mix/mix_executor.h"
#include "mix/plan_support.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace grapevine::mix {
namespace {

using testing::Case;
using testing::Counts;
using testing::options_with;
using testing::Planes;
using testing::run_workers;

class Sweep : public ::testing::TestWithParam<int> {};

TEST_P(Sweep, MixesBitForBitAsTheVirtualCluster) {
  const int n = GetParam();
  const std::vector<Case> cases = testing::cases(n);
  for (const int64_t count : {0, 1, 7, 1000, (1 << 17) + 1}) {
    const Planes planes = testing::make_planes(n, count);
    std::vector<Planes> expected;
    for (const Case& it : cases) {
      expected.push_back(testing::mix_all(*it.plan, planes));
    }
    for (const int64_t chunk : {1 << 15, 1 << 20}) {
      std::vector<Planes> results(cases.size(), Planes(n));
      run_workers(n, options_with(chunk), [&](Communicator& worker) {
        for (size_t c = 0; c < cases.size(); ++c) {
          std::vector<float> plane = planes[worker.rank()];
          worker.mix(*cases[c].plan, plane);
          results[c][worker.rank()] = std::move(plane);
        }
      });
      for (size_t c = 0; c < cases.size(); ++c) {
        ASSERT_TRUE(results[c] == expected[c])
            << cases[c].name << ", count " << count << ", chunk " << chunk;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Workers,
    Sweep,
    ::testing::Values(1, 2, 3, 4, 7, 8, 12, 13));

TEST(Communicator, SendsWhatThePlanPromises) {
  constexpr int64_t kCount = 13 * 1000;
  for (const int n : {2, 4, 12, 13}) {
    for (const Case& it : testing::cases(n)) {
      const auto plan = it.plan;
      std::vector<Traffic> traffic(n);
      const std::vector<Counts> counts =
          run_workers(n, options_with(1 << 14), [&](Communicator& worker) {
            std::vector<float> plane(kCount, 1.0f);
            traffic[worker.rank()] = worker.mix(*plan, plane);
          });
      for (int i = 0; i < n; ++i) {
        SCOPED_TRACE(it.name);
        const auto messages = static_cast<int64_t>(counts[i].messages.size());
        EXPECT_EQ(messages, plan->messages(i));
        EXPECT_EQ(traffic[i].messages, messages);
        EXPECT_EQ(traffic[i].bytes, counts[i].bytes);
        // Pieces are equal to within an element for each message and chunk.
        const double planes = static_cast<double>(counts[i].bytes) /
                              static_cast<double>(kCount * sizeof(float));
        EXPECT_NEAR(planes, plan->copies(i), 0.02);
      }
    }
  }
}

// Writes a chunk when it is to be sent first, adds 1 to its result.
class Owner : public ChunkEvents {
 public:
  Owner(int rank, const std::vector<Range>& chunks, std::span<float> plane)
      : rank_(rank),
        chunks_(chunks),
        plane_(plane) {}
  void before(int64_t c) override {
    EXPECT_EQ(c, begun_++);
    for (int64_t e = chunks_[c].begin; e < chunks_[c].end; ++e)
      plane_[e] = testing::payload(rank_, e);
  }
  void after(int64_t c) override {
    EXPECT_EQ(c, completed_++);
    EXPECT_LT(c, begun_);
    for (int64_t e = chunks_[c].begin; e < chunks_[c].end; ++e)
      plane_[e] += 1;
  }
  int64_t completed() const { return completed_; }

 private:
  int rank_;
  const std::vector<Range>& chunks_;
  std::span<float> plane_;
  int64_t begun_ = 0;
  int64_t completed_ = 0;
};

TEST(MixExecutor, TellsOfEveryChunkOnceAndInOrder) {
  constexpr int kWorkers = 7;
  constexpr int64_t kCount = 50'001;
  for (const Case& it : testing::cases(kWorkers)) {
    const auto chunks = even_chunks(*it.plan, kCount, 1 << 14);
    int64_t end = 0;
    for (const Range& chunk : chunks) {
      EXPECT_EQ(chunk.begin, end);
      EXPECT_EQ(chunk.begin % kChunkMultiple, 0);
      if (chunk.end != kCount) {
        EXPECT_EQ(chunk.size(), chunks[0].size());
      }
      end = chunk.end;
    }
    EXPECT_EQ(end, kCount);

    auto transports = net::make_local_transports(kWorkers);
    Planes planes(kWorkers, std::vector<float>(kCount));
    {
      std::vector<std::jthread> workers;
      for (int rank = 0; rank < kWorkers; ++rank) {
        workers.emplace_back([&, rank] {
          MixExecutor executor(*it.plan, rank, chunks);
          std::vector<float> scratch(executor.scratch_floats());
          Link link(std::move(transports[rank]), std::chrono::seconds(60));
          float* plane = planes[rank].data();
          Owner owner(rank, chunks, planes[rank]);
          executor.run(link, plane, plane, scratch.data(), owner);
          EXPECT_EQ(owner.completed(), std::ssize(chunks));
        });
      }
    }
    Planes expected =
        testing::mix_all(*it.plan, testing::make_planes(kWorkers, kCount));
    for (auto& plane : expected) {
      for (float& value : plane)
        value += 1;
    }
    EXPECT_TRUE(planes == expected) << it.name;
  }
}

TEST(Communicator, ManyPlansAndStepsInTurn) {
  constexpr int kWorkers = 5;
  Planes expected = testing::make_planes(kWorkers, 3000);
  const auto plan_at = [](int step) {
    const auto groups = testing::random_groups(kWorkers, 2, step);
    return make_plan(graph::Mixing::groups(kWorkers, groups), 12'000);
  };
  Planes planes = expected;
  for (int step = 0; step < 100; ++step) {
    expected = testing::mix_all(*plan_at(step), std::move(expected));
  }
  run_workers(kWorkers, options_with(4096), [&](Communicator& worker) {
    for (int step = 0; step < 100; ++step) {
      worker.set_step(step);
      worker.mix(*plan_at(step), planes[worker.rank()]);
    }
  });
  EXPECT_EQ(planes, expected);
}

TEST(Communicator, AllReduceMeanIsTheSameEverywhere) {
  for (const int n : {1, 2, 3, 7}) {
    const Planes planes = testing::make_planes(n, 1001);
    const Planes expected = testing::mix_all(*make_all_reduce_plan(n), planes);
    run_workers(n, options_with(4096), [&](Communicator& worker) {
      std::vector<float> mine = planes[worker.rank()];
      const Traffic sent = worker.all_reduce_mean(mine);
      EXPECT_EQ(mine, expected[0]);
      EXPECT_EQ(sent.messages, n == 2 ? 1 : 2 * (n - 1)); // a pair: one each
    });
  }
}

TEST(Communicator, ExchangesPlanesOfAnyLength) {
  const std::vector<std::pair<int64_t, int64_t>> lengths{
      {0, 0},
      {1, 1},
      {5000, 5000},
      {123'456, 123'456},
      {100'000, 3},
      {0, 9}};
  for (const auto& [first, second] : lengths) {
    const auto counts =
        run_workers(3, options_with(4096), [&](Communicator& worker) {
          if (worker.rank() == 1) return;
          const int peer = 2 - worker.rank();
          const bool zero = worker.rank() == 0;
          std::vector<float> out(zero ? first : second);
          std::vector<float> in(zero ? second : first);
          for (size_t e = 0; e < out.size(); ++e) {
            out[e] = testing::payload(worker.rank(), e);
          }
          const Traffic sent = exchange(worker, peer, out, in);
          EXPECT_EQ(sent.messages, out.empty() ? 0 : 1);
          for (size_t e = 0; e < in.size(); ++e) {
            ASSERT_EQ(in[e], testing::payload(peer, e));
          }
        });
    EXPECT_EQ(counts[0].bytes, first * 4);
    EXPECT_EQ(counts[2].bytes, second * 4);
  }
}

class Collectives : public ::testing::TestWithParam<int> {};

TEST_P(Collectives, GatherAndBroadcastInRankOrder) {
  const int n = GetParam();
  const auto text_of = [](int rank) {
    return std::string(rank * 3, static_cast<char>('a' + rank));
  };
  run_workers(n, options_with(4096), [&](Communicator& worker) {
    const std::string mine = text_of(worker.rank());
    const auto all = all_gather(worker, mine);
    ASSERT_EQ(static_cast<int>(all.size()), n);
    for (int i = 0; i < n; ++i)
      EXPECT_EQ(all[i], text_of(i));

    for (int root = 0; root < n; ++root) {
      const auto gathered = gather(worker, mine, root);
      if (worker.rank() == root) {
        EXPECT_EQ(gathered, all);
      } else {
        EXPECT_TRUE(gathered.empty());
      }
      const std::vector<double> numbers(worker.rank(), worker.rank() + 0.5);
      const auto doubles = gather(worker, std::span(numbers), root);
      if (worker.rank() == root) {
        ASSERT_EQ(static_cast<int>(doubles.size()), n);
        for (int i = 0; i < n; ++i) {
          EXPECT_EQ(doubles[i], std::vector<double>(i, i + 0.5));
        }
      }
      EXPECT_EQ(broadcast(worker, mine, root), text_of(root));
      int64_t number = worker.rank() + 100;
      broadcast(worker, std::as_writable_bytes(std::span(&number, 1)), root);
      EXPECT_EQ(number, root + 100);
    }
  });
}

TEST_P(Collectives, AnyHearsEverybody) {
  const int n = GetParam();
  run_workers(n, options_with(4096), [&](Communicator& worker) {
    EXPECT_FALSE(any(worker, false));
    for (int who = 0; who < n; ++who) {
      EXPECT_TRUE(any(worker, worker.rank() == who));
    }
    EXPECT_TRUE(any(worker, true));
  });
}

TEST_P(Collectives, NobodyPassesABarrierAlone) {
  const int n = GetParam();
  std::atomic<int> arrived = 0;
  run_workers(n, options_with(4096), [&](Communicator& worker) {
    for (int round = 1; round <= 20; ++round) {
      ++arrived;
      barrier(worker);
      EXPECT_GE(arrived, round * n);
      barrier(worker);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(
    Workers,
    Collectives,
    ::testing::Values(1, 2, 3, 4, 7, 8));

} // namespace
} // namespace grapevine::mix
