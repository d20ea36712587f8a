// Who is to blame, from the words that make a worker or a link slow to the one
// that the report names: between processes, and in virtual time.
#include "system/program.h"
#include "system/run_records.h"

#include <nlohmann/json.hpp>

namespace grapevine::system {
namespace {

// A ring whose steps take a few milliseconds of computing.
Words ring(const std::string& out, const Words& more = {}) {
  return split(
             "train --json --quiet --preset d-ring --model mlp "
             "--data synthetic --synthetic-samples 4096 --batch 64 -n 4 "
             "--steps 40 --probe-every 0 --eval-every 0 --eval-samples 10") +
         Words{"--out", out} + more;
}

nlohmann::json blame_of(const std::string& run) {
  const auto report =
      result_of(cli::grapevine({"report", run, "--no-html", "--json"}));
  EXPECT_EQ(report.at("blame").size(), 1);
  return report.at("blame").front();
}

nlohmann::json launched(const std::string& out, const Words& how) {
  const Words words = split("launch -n 4") + how + "--";
  result_of(cli::grapevine(words + ring(out)));
  return blame_of(out);
}

nlohmann::json in_virtual_time(const std::string& out, const Words& how) {
  result_of(cli::grapevine(ring(out, split("--compute 10ms") + how)));
  return blame_of(out);
}

void expect_straggler(const nlohmann::json& blame, int worker) {
  ASSERT_FALSE(blame.at("straggler").is_null()) << blame.dump(1);
  EXPECT_EQ(blame.at("straggler").at("worker"), worker) << blame.dump(1);
  EXPECT_GT(blame.at("straggler").at("compute_ratio"), 1.5) << blame.dump(1);
  EXPECT_GT(blame.at("straggler").at("cost_share"), 0.1) << blame.dump(1);
}

void expect_link(const nlohmann::json& blame, int a, int b) {
  ASSERT_FALSE(blame.at("slowest_link").is_null()) << blame.dump(1);
  EXPECT_EQ(blame.at("slowest_link").at("a"), a) << blame.dump(1);
  EXPECT_EQ(blame.at("slowest_link").at("b"), b) << blame.dump(1);
  EXPECT_GT(blame.at("slowest_link").at("cost_share"), 0.1) << blame.dump(1);
}

TEST(Blame, NamesTheSlowWorker) {
  const cli::Scratch scratch;
  const Words how =
      split("--slow 2:10"); // more than a busy machine makes of it
  expect_straggler(launched(scratch.file("processes"), how), 2);
  const auto blame = in_virtual_time(scratch.file("virtual"), how);
  expect_straggler(blame, 2);
  EXPECT_TRUE(blame.at("slowest_link").is_null()) << blame.dump(1);
}

// Half a megabyte at 10 Mbit/s takes 0.4 s: far above what a step computes.
TEST(Blame, NamesTheSlowLink) {
  const cli::Scratch scratch;
  const Words how = split("--link 1gbit,0.1ms;2-3:10mbit,20ms");
  expect_link(launched(scratch.file("processes"), how), 2, 3);
  const auto blame = in_virtual_time(scratch.file("virtual"), how);
  expect_link(blame, 2, 3);
  EXPECT_TRUE(blame.at("straggler").is_null()) << blame.dump(1);
}

// Workers that do not wait for each other are not held up by a slow link; but
// it is named.
TEST(Blame, NamesTheSlowLinkOfAnAsynchronousRun) {
  const cli::Scratch scratch;
  const std::string run = scratch.file("run");
  result_of(cli::grapevine(ring(
      run,
      split("--preset ad-psgd --epochs 40 --steps 200 --compute 10ms "
            "--link 1gbit,0.1ms;2-3:80mbit,10ms"))));
  const auto report =
      result_of(cli::grapevine({"report", run, "--no-html", "--json"}));
  const auto links = report.at("gossip").front().at("slow_links");
  ASSERT_EQ(links.size(), 1) << links.dump(1);
  EXPECT_EQ(links[0].at("a"), 2);
  EXPECT_EQ(links[0].at("b"), 3);
}

// How long is a matter of the machine, so with whom and how often.
TEST(Blame, AsynchronousProcessesSayWithWhomTheyAveraged) {
  const cli::Scratch scratch;
  const std::string run = scratch.file("run");
  result_of(over_gloo(
      4,
      ring(run, split("--preset ad-psgd --epochs 5 --steps 60 --max-lag 2"))));
  std::map<int, nlohmann::json> pairs; // the last, by worker
  for (const Line& line : counted_lines(run)) {
    if (line.record["type"] != "pairs") continue;
    const int worker = line.record.at("worker");
    if (!pairs.contains(worker) || pairs[worker].at("step") <= line.step) {
      pairs[worker] = line.record;
    }
  }
  std::map<std::pair<int, int>, int> counts;
  for (const auto& [worker, line] : pairs) {
    for (size_t i = 0; i < line.at("peers").size(); ++i) {
      const int peer = line.at("peers")[i];
      EXPECT_EQ((worker - peer) % 2, worker > peer ? 1 : -1);
      EXPECT_GT(line.at("seconds")[i], 0);
      counts[{worker, peer}] = line.at("averagings")[i];
    }
  }
  EXPECT_FALSE(counts.empty());
  // Nobody was lost, so both ends have finished what they began.
  for (const auto& [ends, count] : counts)
    EXPECT_EQ(count, (counts[{ends.second, ends.first}])) << ends.first;
}

} // namespace
} // namespace grapevine::system
