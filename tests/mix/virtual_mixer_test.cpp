// All workers in one process: right, the same for any number of threads, and
// the mean stays.
#include "mix/virtual_mixer.h"
#include "mix/plan_support.h"

#include <gtest/gtest.h>

namespace grapevine::mix {
namespace {

using testing::Case;
using testing::Planes;

Planes mix(const Plan& plan, Planes planes, int threads) {
  ThreadPool pool(threads);
  VirtualMixer mixer(pool);
  const auto count = static_cast<int64_t>(planes[0].size());
  mixer.mix(plan, testing::pointers(planes), count);
  return planes;
}

double mean_of(const Planes& planes, size_t element) {
  double sum = 0;
  for (const auto& plane : planes)
    sum += plane[element];
  return sum / static_cast<double>(planes.size());
}

TEST(VirtualMixer, DoesNotDependOnBlocksAndThreads) {
  for (const int64_t count : {0, 1, 7, 1000, 5001}) {
    for (const Case& it : testing::cases(8)) {
      const Planes planes = testing::make_planes(8, count);
      const Planes whole = testing::mix_all(*it.plan, planes);
      EXPECT_EQ(mix(*it.plan, planes, 1), whole) << it.name;
      EXPECT_EQ(mix(*it.plan, planes, 3), whole) << it.name;
    }
  }
}

TEST(VirtualMixer, GivesTheMixingAndKeepsTheMean) {
  for (const int n : {50, 96, 97, 1008}) {
    std::vector<graph::Mixing> mixings{
        graph::Mixing::complete(n),
        testing::star(n),
        testing::exponential(n),
        graph::Mixing::groups(n, testing::random_groups(n, 2, 1)),
        graph::Mixing::groups(n, testing::random_groups(n, 8, 2))};
    for (const int k : {2, 4, 10, 48, n / 4 * 2, n - 2 - n % 2}) {
      mixings.push_back(graph::Mixing::lattice(n, k));
    }
    for (const graph::Mixing& mixing : mixings) {
      for (const int64_t bytes : {int64_t{10'000}, int64_t{100'000'000}}) {
        const auto plan = make_plan(mixing, bytes);
        SCOPED_TRACE(fmt::format("n = {}: {}", n, plan->describe()));
        const Planes planes = testing::make_planes(n, 5);
        const Planes mixed = mix(*plan, planes, 2);
        for (size_t e = 0; e < 5; ++e) {
          const double magnitude = 0.37 * n + 10;
          EXPECT_NEAR(mean_of(mixed, e), mean_of(planes, e), 1e-5 * magnitude);
        }
        for (const int i : {0, 1, n / 2, n - 1}) {
          const auto expected = testing::reference(mixing, planes, i);
          for (size_t e = 0; e < 5; ++e) {
            ASSERT_NEAR(mixed[i][e], expected[e], 1e-5 * (0.37 * n + 10));
          }
        }
      }
    }
  }
}

TEST(VirtualMixer, NeedsLittleScratchForARing) {
  const auto ring = make_plan(graph::Mixing::lattice(1008, 2), 1 << 20);
  EXPECT_LE(ring->compiled().scratch_buffers(), 4);
  EXPECT_EQ(make_all_reduce_plan(1008)->compiled().scratch_buffers(), 0);
}

} // namespace
} // namespace grapevine::mix
