// The Gloo transport in real processes: the sweep, deaths, and meetings that
// fail.
#include "base/error.h"
#include "net/exercise.h"
#include "net/gloo.h"
#include "net/process/job.h"

#include <gtest/gtest.h>

namespace grapevine::net {
namespace {

using testing::launch_workers;
using testing::Notes;
using testing::start_worker;
using ::testing::Test;
using testing::wait_for;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class GlooSweep : public ::testing::TestWithParam<int> {};

TEST_P(GlooSweep, MovesEveryByte) {
  const int n = GetParam();
  const Notes notes;
  const auto report = launch_workers(notes, n, {"sweep"});
  EXPECT_EQ(report.exit_code, 0) << report.message;
  for (int rank = 0; rank < n; ++rank) {
    EXPECT_EQ(notes.error(rank), "");
  }
  notes.expect_none_running(n);
}

INSTANTIATE_TEST_SUITE_P(
    Ranks,
    GlooSweep,
    ::testing::ValuesIn(testing::kRanks));

TEST(GlooProcess, PackedMessagesMoveEveryByte) {
  const testing::ScopedEnvironment pack(testing::Environment{{"PACK", "1"}});
  const Notes notes;
  const auto report = launch_workers(notes, 3, {"sweep"});
  EXPECT_EQ(report.exit_code, 0) << report.message;
  for (int rank = 0; rank < 3; ++rank)
    EXPECT_EQ(notes.error(rank), "");
}

TEST(GlooProcess, AKilledPeerIsNamedWherePacked) {
  const testing::ScopedEnvironment pack(testing::Environment{{"PACK", "1"}});
  const Notes notes;
  const auto report = launch_workers(notes, 3, {"ring", "1", "9"});
  EXPECT_EQ(report.first_failed, 1);
  // Whichever of its two neighbours notices first; the other may see that one
  // leave before.
  const std::string errors = notes.error(0) + '\n' + notes.error(2);
  EXPECT_TRUE(contains(errors, "worker 1")) << errors;
  notes.expect_none_running(3);
}

TEST(GlooProcess, MayMeetSeveralTimes) {
  const Notes notes;
  const auto report = launch_workers(notes, 3, {"twice"});
  EXPECT_EQ(report.exit_code, 0) << report.message << notes.error(0);
}

// The neighbours of a dead worker notice at once, not at the deadline of 60 s,
// and name it; those behind them name the neighbour that left in turn.
TEST(GlooProcess, AKilledPeerIsNamed) {
  const Notes notes;
  const auto begin = std::chrono::steady_clock::now();
  const auto report = launch_workers(notes, 4, {"ring", "2", "9"});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(50));
  EXPECT_EQ(report.first_failed, 2);
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_TRUE(contains(report.message, "worker 2 was killed by signal 9"))
      << report.message;
  EXPECT_TRUE(contains(notes.error(3), "worker 2")) << notes.error(3);
  for (const int rank : {0, 1, 3}) {
    EXPECT_EQ(report.workers[rank].exit_code, 4) << notes.error(rank);
    EXPECT_TRUE(contains(notes.error(rank), "worker ")) << notes.error(rank);
  }
  notes.expect_none_running(4);
}

TEST(GlooProcess, AStoppedPeerIsNamedAtTheDeadline) {
  const Notes notes;
  const auto report =
      launch_workers(notes, 3, {"ring", "1", std::to_string(SIGSTOP)}, "2");
  EXPECT_NE(report.first_failed, 1);
  EXPECT_NE(report.exit_code, 0);
  EXPECT_TRUE(report.workers[1].was_stopped);
  EXPECT_TRUE(contains(report.message, "worker 1 was stopped"))
      << report.message;
  // Rank 2 receives from rank 1; rank 0 sends to it and hears from rank 2.
  const std::string all = notes.error(0) + notes.error(2);
  EXPECT_TRUE(contains(all, "timed out")) << all;
  EXPECT_TRUE(contains(all, "from worker 1")) << all;
  notes.expect_none_running(3);
}

TEST(GlooProcess, APeerThatNeverComesIsNamed) {
  const Notes notes;
  const auto store = serve_store();
  std::vector<pid_t> workers;
  for (const int rank : {0, 2}) {
    workers.push_back(start_worker(
        notes,
        {"meet"},
        {{"RANK", std::to_string(rank)},
         {"WORLD_SIZE", "4"},
         {"MASTER_ADDR", "127.0.0.1"},
         {"MASTER_PORT", std::to_string(store->port())},
         {"TORCHELASTIC_USE_AGENT_STORE", "True"},
         {"DEADLINE", "8"}}));
  }
  for (const pid_t pid : workers) {
    EXPECT_EQ(wait_for(pid), 3);
  }
  for (const int rank : {0, 2}) {
    EXPECT_TRUE(contains(notes.error(rank), "missing ranks 1, 3"))
        << notes.error(rank);
  }
}

TEST(GlooProcess, AStoreThatNeverComesIsATimeOut) {
  const Notes notes;
  int port = 0;
  {
    const auto store = serve_store();
    port = store->port();
  }
  const pid_t pid = start_worker(
      notes,
      {"meet"},
      {{"RANK", "1"},
       {"WORLD_SIZE", "2"},
       {"MASTER_ADDR", "127.0.0.1"},
       {"MASTER_PORT", std::to_string(port)},
       {"DEADLINE", "2"}});
  EXPECT_EQ(wait_for(pid), 3) << notes.error(1);
  EXPECT_TRUE(contains(notes.error(1), std::to_string(port))) << notes.error(1);
}

TEST(GlooProcess, APortInUseIsNamed) {
  const Notes notes;
  const auto store = serve_store();
  const auto port = std::to_string(store->port());
  const pid_t pid = start_worker(
      notes,
      {"meet"},
      {{"RANK", "0"},
       {"WORLD_SIZE", "2"},
       {"MASTER_ADDR", "127.0.0.1"},
       {"MASTER_PORT", port},
       {"DEADLINE", "30"}});
  EXPECT_EQ(wait_for(pid), 4);
  EXPECT_TRUE(contains(notes.error(0), "port " + port)) << notes.error(0);
  EXPECT_THROW(serve_store(store->port()), TransportError);
}

// Torchrun-style without an agent: rank 0 serves the store itself.
TEST(GlooProcess, RankZeroMayServeTheStore) {
  const Notes notes;
  int port = 0;
  {
    const auto store = serve_store();
    port = store->port();
  }
  std::vector<pid_t> workers;
  for (int rank = 0; rank < 3; ++rank) {
    workers.push_back(start_worker(
        notes,
        {"sweep"},
        {{"RANK", std::to_string(rank)},
         {"WORLD_SIZE", "3"},
         {"MASTER_ADDR", "localhost"},
         {"MASTER_PORT", std::to_string(port)}}));
  }
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(wait_for(workers[rank]), 0) << notes.error(rank);
  }
}

TEST(GlooProcess, MayMeetInAFile) {
  const Notes notes;
  std::vector<pid_t> workers;
  for (int rank = 0; rank < 3; ++rank) {
    workers.push_back(start_worker(
        notes,
        {"sweep"},
        {{"RANK", std::to_string(rank)},
         {"WORLD_SIZE", "3"},
         {"HOST_ADDRESS", "127.0.0.1"},
         {"GRAPEVINE_STORE_FILE", notes.directory() + "/store"}}));
  }
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(wait_for(workers[rank]), 0) << notes.error(rank);
  }
}

} // namespace
} // namespace grapevine::net
