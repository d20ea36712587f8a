// Limited links between real processes: the sweep, and deaths.
#include "net/exercise.h"
#include "net/process/job.h"

#include <gtest/gtest.h>

namespace grapevine::net {
namespace {

using testing::launch_workers;
using testing::Notes;

net::LaunchOptions linked(const char* link, int per_node = 0) {
  net::LaunchOptions options;
  options.link = parse_link(link);
  options.workers_per_node = per_node;
  return options;
}

void sweep(int n, int per_node, const char* link = "8gbit,100us") {
  const Notes notes;
  const auto report =
      launch_workers(notes, n, {"sweep"}, "60", linked(link, per_node));
  EXPECT_EQ(report.exit_code, 0) << report.message;
  for (int rank = 0; rank < n; ++rank)
    EXPECT_EQ(notes.error(rank), "");
  notes.expect_none_running(n);
}

TEST(ShapedGloo, MovesEveryByte) {
  sweep(2, 0);
  sweep(4, 2);
  sweep(7, 3); // the last node has one worker
  sweep(4, 0, "unlimited;1-2:1gbit,1ms");
}

// As without links: named, and at once.
TEST(ShapedGloo, AKilledPeerIsNamed) {
  const Notes notes;
  const auto begin = std::chrono::steady_clock::now();
  const auto report =
      launch_workers(notes, 4, {"ring", "2", "9"}, "60", linked("1gbit,1ms"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(50));
  EXPECT_EQ(report.first_failed, 2);
  EXPECT_NE(notes.error(3).find("worker 2"), std::string::npos)
      << notes.error(3);
  for (const int rank : {0, 1, 3}) {
    EXPECT_EQ(report.workers[rank].exit_code, 4) << notes.error(rank);
  }
  notes.expect_none_running(4);
}

TEST(ShapedGloo, AStoppedPeerIsNamedAtTheDeadline) {
  const Notes notes;
  const auto report = launch_workers(
      notes,
      3,
      {"ring", "1", std::to_string(SIGSTOP)},
      "2",
      linked("1gbit"));
  EXPECT_NE(report.exit_code, 0);
  EXPECT_TRUE(report.workers[1].was_stopped);
  const std::string all = notes.error(0) + notes.error(2);
  EXPECT_NE(all.find("timed out"), std::string::npos) << all;
  notes.expect_none_running(3);
}

} // namespace
} // namespace grapevine::net
