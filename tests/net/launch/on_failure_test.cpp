// What the launcher does when a worker fails and the others may go on.
#include "base/error.h"
#include "net/launch/launch.h"
#include "net/launch/launch_fixture.h"

#include <gtest/gtest.h>

#include <csignal>

namespace grapevine::net {
namespace {

using std::chrono::milliseconds;

LaunchOptions with(OnFailure on_failure, int restarts = 3) {
  LaunchOptions options;
  options.on_failure = on_failure;
  options.restarts = restarts;
  // Not reached where the others are to go on.
  options.grace = milliseconds(300);
  return options;
}

using OnFailureTest = LaunchTest;

// Worker 1 dies first, the others finish a good while later than the grace.
constexpr const char* kOneDies =
    "if [ $RANK = 1 ]; then kill -9 $$; fi; sleep 1.5; touch done.$RANK";

TEST_F(OnFailureTest, EndTakesTheOthersDown) {
  const auto report =
      run(std::string("if [ $RANK = 1 ]; then kill -9 $$; fi; ") + kSleepLong,
          with(OnFailure::kEnd));
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_TRUE(report.workers[0].ended_by_launcher);
}

TEST_F(OnFailureTest, ContinueGoesOnWithoutIt) {
  const auto report = run(kOneDies, with(OnFailure::kContinue));
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(report.message, "worker 1 was killed by signal 9 and was lost");
  EXPECT_EQ(report.first_failed, 1);
  EXPECT_TRUE(exists("done.0") && exists("done.2"));
  EXPECT_FALSE(exists("done.1"));
}

TEST_F(OnFailureTest, ContinueFailsWhereAllAreLost) {
  const auto report =
      run("if [ $RANK = 2 ]; then exit 5; fi; "
          "while [ ! -e pid.2 ]; do sleep 0.02; done; "
          "while kill -0 $(cat pid.2); do sleep 0.02; done; exit 3",
          with(OnFailure::kContinue));
  EXPECT_EQ(report.exit_code, 5);
  EXPECT_EQ(report.first_failed, 2);
  EXPECT_NE(
      report.message.find("worker 0 exited with 3 and was lost"),
      std::string::npos)
      << report.message;
}

TEST_F(OnFailureTest, RestartStartsItAgain) {
  const auto report =
      run("echo $GRAPEVINE_RESTART >> starts.$RANK; "
          "if [ $RANK = 1 -a $GRAPEVINE_RESTART -lt 2 ]; then exit 7; fi; "
          "if [ $RANK = 1 ]; then touch done.1; fi; "
          "while [ ! -e done.1 ]; do sleep 0.02; done",
          with(OnFailure::kRestart));
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(
      report.message,
      "worker 1 exited with 7 and was started again (1 of 3); "
      "worker 1 exited with 7 and was started again (2 of 3)");
  EXPECT_EQ(read("starts.0"), "0\n");
  EXPECT_EQ(read("starts.1"), "0\n1\n2\n");
  EXPECT_EQ(report.workers[1].restarts, 2);
  EXPECT_FALSE(report.workers[1].failed());
}

TEST_F(OnFailureTest, RestartsAreCounted) {
  const auto report =
      run("if [ $RANK = 0 ]; then echo . >> starts; exit 7; fi; "
          "while [ $(cat starts | wc -l) -lt 3 ]; do sleep 0.02; done; "
          "while kill -0 $(cat pid.0); do sleep 0.02; done",
          with(OnFailure::kRestart, 2));
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(read("starts"), ".\n.\n.\n");
  EXPECT_NE(
      report.message.find("(2 of 2); worker 0 exited with 7 and was lost"),
      std::string::npos)
      << report.message;
}

// There is nobody left whom it could join.
TEST_F(OnFailureTest, NobodyIsRestartedOnceOthersHaveFinished) {
  const auto report =
      run("if [ $RANK = 0 ]; then exit 0; fi; "
          "while [ ! -e pid.0 ]; do sleep 0.02; done; "
          "while kill -0 $(cat pid.0); do sleep 0.02; done; "
          "if [ $RANK = 1 ]; then echo . >> starts; exit 7; fi",
          with(OnFailure::kRestart));
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(read("starts"), ".\n");
}

TEST_F(OnFailureTest, AWrongCommandEndsAll) {
  for (const auto on_failure : {OnFailure::kContinue, OnFailure::kRestart}) {
    const auto report =
        run(std::string("if [ $RANK = 1 ]; then exit 2; fi; ") + kSleepLong,
            with(on_failure));
    EXPECT_EQ(report.exit_code, 2);
    EXPECT_EQ(report.workers[1].restarts, 0);
    EXPECT_NE(
        report.message.find("worker 1 exited with 2 (first to fail)"),
        std::string::npos)
        << report.message;
  }
}

TEST_F(OnFailureTest, NobodyIsRestartedAfterASignal) {
  std::jthread sender([this] {
    wait_until([this] {
      return exists("ready.0") && exists("ready.1") && exists("ready.2");
    });
    kill(getpid(), SIGTERM);
  });
  const auto report =
      run(std::string("trap 'exit 1' TERM; echo . >> starts.$RANK; "
                      "touch ready.$RANK; ") +
              kSleepLong,
          with(OnFailure::kRestart));
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_EQ(read("starts.1"), ".\n");
  // They have done as they were told.
  EXPECT_EQ(report.message.find("told to end by signal 15; worker "), 0U)
      << report.message;
  EXPECT_EQ(report.message.find("lost"), std::string::npos) << report.message;
}

TEST_F(OnFailureTest, TheWorkersKnowWhatAFailureMeans) {
  run("echo $GRAPEVINE_ON_FAILURE > what.$RANK", with(OnFailure::kContinue));
  EXPECT_EQ(read("what.1"), "continue\n");
  run("echo $GRAPEVINE_ON_FAILURE > what.$RANK", with(OnFailure::kEnd));
  EXPECT_EQ(read("what.1"), "\n");
}

// A worker that is stopped when all others are done is not waited for, and
// named.
TEST_F(OnFailureTest, AStoppedWorkerDoesNotHoldUpTheEnd) {
  for (const auto on_failure :
       {OnFailure::kEnd, OnFailure::kContinue, OnFailure::kRestart}) {
    clear();
    const auto report =
        run("if [ $RANK = 1 ]; then kill -STOP $$; fi; exit 0",
            with(on_failure));
    EXPECT_EQ(report.exit_code, on_failure == OnFailure::kEnd ? 1 : 0);
    EXPECT_TRUE(report.workers[1].was_stopped);
    EXPECT_NE(report.message.find("worker 1"), std::string::npos)
        << report.message;
  }
}

TEST_F(OnFailureTest, BadInputIsRefused) {
  EXPECT_THROW(launch(with(OnFailure::kRestart, -1), {"true"}), ConfigError);
}

} // namespace
} // namespace grapevine::net
