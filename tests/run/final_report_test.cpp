// Whoever came back with initial or old values takes those of the others
// before they are averaged, each kind of values by itself.
#include "run/final_report.h"

#include "net/transports.h"
#include "run/run_config.h"
#include "run/tiny_spec.h"
#include "run/worker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace grapevine::run {
namespace {

// Two have gone on all the time. The third came back a moment ago: it was given
// weights, and its batch norms have seen nothing.
TEST(FinalReports, StatisticsAreJudgedByThemselves) {
  constexpr int kWorkers = 3;
  const Folder folder;
  spec::Spec spec = tiny_spec(folder);
  spec.model = "resnet20";
  const run::RunConfig config = make_run_config(spec, {});
  auto transports = net::make_local_transports(kWorkers);
  const auto of_worker = [](int rank) { return static_cast<float>(rank + 1); };
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < kWorkers; ++rank) {
    threads.emplace_back([&, rank] {
      use_one_torch_thread();
      const auto cluster =
          mix::make_process_cluster(std::move(transports[rank]), {});
      Worker worker(config.worker_options());
      tensor::Arena& arena = worker.arena();
      ASSERT_GT(arena.buffers().size(), 0U);
      std::ranges::fill(arena.parameters(), of_worker(rank));
      std::ranges::fill(arena.buffers(), of_worker(rank));
      cluster->attach({&arena});
      FinalReports reports(kWorkers);
      reports[2].statistics = FinalReport::kNone;
      const auto replace = [&](FinalNumber number, algo::Plane plane) {
        replace_worse(*cluster, reports, number, arena, {plane});
      };
      replace(&FinalReport::values, algo::Plane::kParameters);
      replace(&FinalReport::statistics, algo::Plane::kBuffers);
      EXPECT_FLOAT_EQ(arena.parameters()[0], of_worker(rank));
      EXPECT_FLOAT_EQ(arena.buffers()[0], rank == 2 ? 1.5f : of_worker(rank));
      // Where nobody has any, nobody's are better.
      for (FinalReport& report : reports)
        report.statistics = FinalReport::kNone;
      replace(&FinalReport::statistics, algo::Plane::kBuffers);
      EXPECT_FLOAT_EQ(arena.buffers()[0], rank == 2 ? 1.5f : of_worker(rank));
    });
  }
}

TEST(FinalReports, GoThroughARow) {
  FinalReport report;
  report.interrupted = 1;
  report.bytes = 3e12;
  report.loss = 0.25;
  report.statistics = FinalReport::kOld;
  report.counts = {4, 0, 1234567};
  const FinalReport again = report_in(to_row(report));
  EXPECT_EQ(to_row(again), to_row(report));
  EXPECT_EQ(again.counts, report.counts);
  EXPECT_EQ(again.statistics, FinalReport::kOld);
  EXPECT_EQ(
      total_gradients({report, FinalReport{.counts = {5, 2, 0}}}, 3),
      5 + 2 + 1234567);
}

} // namespace
} // namespace grapevine::run
