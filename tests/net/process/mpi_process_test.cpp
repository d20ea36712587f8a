// The MPI transport under mpirun.
#include "net/exercise.h"
#include "net/process/job.h"
#include "net/transports.h"

#include <gtest/gtest.h>

namespace grapevine::net {
namespace {

using testing::Notes;

// The exit code of mpirun.
int run_mpi(
    const Notes& notes,
    int n,
    const std::vector<std::string>& arguments,
    const std::string& deadline = "60") {
  std::vector<std::string> command = {
      MPIEXEC,
      "-np",
      std::to_string(n),
      testing::worker_program()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const pid_t pid = net::spawn(
      command,
      net::environment_with({
          {"OUT", notes.directory()},
          // Two jobs in one folder can get into each other's way.
          {"OMPI_MCA_orte_tmpdir_base", notes.directory()},
          {"DEADLINE", deadline},
          // More ranks than processors, and as root in containers.
          {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
          {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
          {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      }));
  return testing::wait_for(pid);
}

class MpiTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!mpi_is_available()) {
      EXPECT_THROW(make_mpi_transport(), ConfigError);
      abandon_mpi(1); // returns
      GTEST_SKIP() << "built without MPI";
    }
  }
};

class MpiSweep : public MpiTest, public ::testing::WithParamInterface<int> {};

TEST_P(MpiSweep, MovesEveryByte) {
  const int n = GetParam();
  const Notes notes;
  EXPECT_EQ(run_mpi(notes, n, {"sweep"}), 0);
  for (int rank = 0; rank < n; ++rank) {
    EXPECT_EQ(notes.error(rank), "");
  }
  notes.expect_none_running(n);
}

INSTANTIATE_TEST_SUITE_P(Ranks, MpiSweep, ::testing::ValuesIn(testing::kRanks));

// mpirun ends the job and says which rank was killed.
TEST_F(MpiTest, AKilledPeerEndsTheJob) {
  const Notes notes;
  EXPECT_NE(run_mpi(notes, 3, {"ring", "1", "9"}), 0);
  notes.expect_none_running(3);
}

TEST_F(MpiTest, AStoppedPeerIsNamedAtTheDeadline) {
  const Notes notes;
  EXPECT_NE(run_mpi(notes, 3, {"ring", "1", std::to_string(SIGSTOP)}, "2"), 0);
  // The first to time out ends the job; the other one may come no further.
  const std::string all = notes.error(0) + notes.error(2);
  EXPECT_NE(all.find("timed out"), std::string::npos) << all;
  notes.expect_none_running(3);
}

} // namespace
} // namespace grapevine::net
