// The launcher, with shell scripts as workers.
#include "net/launch/launch.h"

#include "base/error.h"
#include "net/gloo.h"
#include "net/launch/launch_fixture.h"
#include "net/launch/spawn.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

namespace grapevine::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(LaunchTest, AllWell) {
  const auto report = run("exit 0");
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(report.message, "");
  EXPECT_FALSE(report.first_failed);
  ASSERT_EQ(report.workers.size(), 3u);
  for (const WorkerEnd& end : report.workers) {
    EXPECT_FALSE(end.failed());
    EXPECT_FALSE(end.ended_by_launcher);
  }
}

TEST_F(LaunchTest, WorkersKnowWhoTheyAre) {
  run("echo $RANK/$WORLD_SIZE $LOCAL_RANK/$LOCAL_WORLD_SIZE $MASTER_ADDR "
      "$TORCHELASTIC_USE_AGENT_STORE $GRAPEVINE_LAUNCH > who.$RANK; "
      "test $MASTER_PORT -gt 0");
  for (const std::string rank : {"0", "1", "2"}) {
    EXPECT_EQ(
        read("who." + rank),
        rank + "/3 " + rank + "/3 127.0.0.1 True 1\n");
  }
}

TEST_F(LaunchTest, OneThreadUnlessToldOtherwise) {
  unsetenv("OMP_NUM_THREADS");
  run("echo $OMP_NUM_THREADS > threads.$RANK");
  EXPECT_EQ(read("threads.0"), "1\n");
  setenv("OMP_NUM_THREADS", "2", 1);
  run("echo $OMP_NUM_THREADS > threads.$RANK");
  EXPECT_EQ(read("threads.0"), "2\n");
  setenv("OMP_NUM_THREADS", "1", 1);
}

TEST_F(LaunchTest, TheFirstToFailGivesTheExitCode) {
  // The others notice only when it is over.
  const auto report =
      run("if [ $RANK = 2 ]; then (sleep 0.3; touch over) & exit 7; fi; "
          "while [ ! -e over ]; do sleep 0.02; done; exit 3");
  EXPECT_EQ(report.exit_code, 7);
  EXPECT_EQ(report.first_failed, 2);
  EXPECT_EQ(report.workers[0].exit_code, 3);
  EXPECT_FALSE(report.workers[0].ended_by_launcher);
  EXPECT_EQ(report.message, "worker 2 exited with 7 (first to fail)");
}

TEST_F(LaunchTest, ASignalIsExitCodeOne) {
  const auto report = run("if [ $RANK = 1 ]; then kill -9 $$; fi; exit 0");
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_EQ(report.workers[1].signal, 9);
  EXPECT_EQ(report.message, "worker 1 was killed by signal 9 (first to fail)");
}

TEST_F(LaunchTest, SurvivorsAreToldToEndAfterTheGrace) {
  LaunchOptions options;
  options.grace = milliseconds(300);
  const auto report =
      run(std::string("if [ $RANK = 0 ]; then exit 5; fi; ") + kSleepLong,
          options);
  EXPECT_EQ(report.exit_code, 5);
  for (const int rank : {1, 2}) {
    EXPECT_EQ(report.workers[rank].signal, SIGTERM);
    EXPECT_TRUE(report.workers[rank].ended_by_launcher);
  }
  EXPECT_NE(
      report.message.find("worker 2 did not end by itself"),
      std::string::npos)
      << report.message;
}

TEST_F(LaunchTest, ThoseWhoDoNotListenAreKilled) {
  LaunchOptions options;
  options.grace = milliseconds(200);
  options.kill_after = milliseconds(200);
  const auto report = run(
      std::string("trap '' TERM; touch deaf.$RANK; if [ $RANK = 0 ]; then "
                  "while [ ! -e deaf.1 -o ! -e deaf.2 ]; do sleep 0.02; done; "
                  "exit 5; fi; ") +
          kSleepLong,
      options);
  EXPECT_EQ(report.exit_code, 5);
  EXPECT_EQ(report.workers[1].signal, SIGKILL);
  EXPECT_EQ(report.workers[2].signal, SIGKILL);
}

// The grace of 1000 s is not waited for: a stopped worker cannot use it.
TEST_F(LaunchTest, AStoppedWorkerIsNamedAndEnded) {
  LaunchOptions options;
  options.grace = seconds(1000);
  options.kill_after = milliseconds(200);
  std::jthread stopper([this] {
    wait_until([this] { return exists("pid.1") && exists("pid.2"); });
    kill(pid(1), SIGSTOP);
    std::ofstream(directory_ / "go");
  });
  const auto report =
      run("if [ $RANK = 1 ]; then while :; do sleep 0.05; done; fi; "
          "while [ ! -e go ]; do sleep 0.05; done; exit 4",
          options);
  EXPECT_EQ(report.exit_code, 4);
  EXPECT_NE(report.first_failed, 1);
  EXPECT_TRUE(report.workers[1].was_stopped);
  EXPECT_TRUE(report.workers[1].ended_by_launcher);
  EXPECT_NE(report.message.find("worker 1 was stopped"), std::string::npos)
      << report.message;
}

TEST_F(LaunchTest, AWorkerThatWentOnIsNotStopped) {
  std::jthread stopper([this] {
    wait_until([this] { return exists("pid.1"); });
    kill(pid(1), SIGSTOP);
    std::this_thread::sleep_for(milliseconds(300));
    kill(pid(1), SIGCONT);
    std::ofstream(directory_ / "go");
  });
  const auto report = run("while [ ! -e go ]; do sleep 0.05; done");
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_FALSE(report.workers[1].was_stopped);
}

// Sends the signal to this process once all workers are ready.
std::jthread send_when_ready(const LaunchTest& test, int signal) {
  return std::jthread([&test, signal] {
    wait_until([&] {
      return test.exists("ready.0") && test.exists("ready.1") &&
             test.exists("ready.2");
    });
    kill(getpid(), signal);
  });
}

constexpr const char* kTraps =
    "for s in INT TERM HUP; do "
    "trap \"echo $s >> caught.$RANK; exit 0\" $s; done; touch ready.$RANK; ";

TEST_F(LaunchTest, SignalsArePassedOnOnce) {
  // A terminal that was closed asks for the same end as SIGTERM.
  const std::pair<int, std::string> kCases[] = {
      {SIGINT, "INT\n"},
      {SIGTERM, "TERM\n"},
      {SIGHUP, "TERM\n"}};
  for (const auto& [signal, caught] : kCases) {
    clear();
    const auto sender = send_when_ready(*this, signal);
    const auto report = run(std::string(kTraps) + kSleepLong);
    EXPECT_EQ(report.exit_code, 0);
    EXPECT_EQ(report.interrupted_by, signal);
    for (const std::string rank : {"0", "1", "2"})
      EXPECT_EQ(read("caught." + rank), caught) << signal;
  }
}

// As under nohup: the hangup of the terminal ends neither the launcher nor its
// workers, which ignore it too.
TEST_F(LaunchTest, AnIgnoredHangupStaysIgnored) {
  std::signal(SIGHUP, SIG_IGN);
  const auto sender = send_when_ready(*this, SIGHUP);
  std::jthread script([this] {
    wait_until([this] { return exists("ready.0") && exists("ready.1"); });
    kill(pid(1), SIGHUP);
    std::ofstream(directory_ / "go");
  });
  const auto report =
      run("touch ready.$RANK; while [ ! -e go ]; do sleep 0.02; done");
  std::signal(SIGHUP, SIG_DFL);
  EXPECT_EQ(report.exit_code, 0) << report.message;
  EXPECT_EQ(report.interrupted_by, 0);
}

// One ends at once, with an error, and the others write their checkpoint for
// longer than the grace: they are not told a second time, which means "now".
TEST_F(LaunchTest, WorkersThatWereToldAreNotToldAgain) {
  LaunchOptions options;
  options.grace = milliseconds(100);
  options.kill_after = seconds(60);
  const auto sender = send_when_ready(*this, SIGTERM);
  const auto report =
      run("trap 'echo TERM >> caught.$RANK; [ $RANK = 0 ] && exit 1; "
          "told=1' TERM; touch ready.$RANK; "
          "while [ -z \"$told\" ]; do sleep 0.02; done; "
          "for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.05; done; exit 0",
          options);
  EXPECT_EQ(report.exit_code, 1);
  for (const std::string rank : {"1", "2"})
    EXPECT_EQ(read("caught." + rank), "TERM\n");
  EXPECT_EQ(report.workers[1].exit_code, 0);
}

// A worker that ends with an error because it was told to is no failure.
TEST_F(LaunchTest, SaysThatItWasToldToEnd) {
  const auto sender = send_when_ready(*this, SIGTERM);
  const auto report =
      run(std::string("trap 'exit 5' TERM; touch ready.$RANK; ") + kSleepLong);
  EXPECT_TRUE(report.message.starts_with("told to end by signal 15; worker "))
      << report.message;
}

TEST_F(LaunchTest, HandlersAreGivenBack) {
  run("exit 0");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) {
    struct sigaction now = {};
    sigaction(signal, nullptr, &now);
    EXPECT_EQ(now.sa_handler, SIG_DFL) << signal;
  }
}

TEST_F(LaunchTest, WorkersDieWithTheLauncher) {
  const pid_t launcher = fork();
  if (launcher == 0) {
    LaunchOptions options;
    options.workers = 3;
    launch(options, script(std::string("trap '' TERM INT HUP; ") + kSleepLong));
    _exit(0);
  }
  ASSERT_TRUE(wait_until([this] {
    return exists("pid.0") && exists("pid.1") && exists("pid.2");
  }));
  kill(launcher, SIGKILL);
  waitpid(launcher, nullptr, 0);
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_TRUE(wait_until([&] { return !is_running(pid(rank)); })) << rank;
  }
}

// Its store must not take the descriptors of the standard streams, into which
// the program prints.
TEST_F(LaunchTest, EndsWithoutStandardStreams) {
  const pid_t launcher = fork();
  if (launcher == 0) {
    for (const int descriptor : {0, 1, 2})
      close(descriptor);
    const auto report = launch({.workers = 2}, {"true"});
    const std::string text = "done\n";
    const bool is_open = write(STDOUT_FILENO, text.data(), text.size()) > 0 &&
                         write(STDERR_FILENO, text.data(), text.size()) > 0;
    _exit(report.exit_code == 0 && is_open ? 0 : 1);
  }
  int status = -1;
  EXPECT_TRUE(wait_until(
      [&] { return waitpid(launcher, &status, WNOHANG) == launcher; }));
  EXPECT_EQ(status, 0);
  kill(launcher, SIGKILL);
}

TEST_F(LaunchTest, BadInputIsRefused) {
  LaunchOptions options;
  EXPECT_THROW(launch(options, {}), ConfigError);
  options.workers = 0;
  EXPECT_THROW(launch(options, {"true"}), ConfigError);
  options.workers = 2;
  options.master_port = 70000;
  EXPECT_THROW(launch(options, {"true"}), ConfigError);
  options.master_port = 0;
  try {
    launch(options, {"no-such-program-anywhere"});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(
        error.what(),
        "cannot start 'no-such-program-anywhere': No such file or directory");
  }
}

TEST_F(LaunchTest, APortInUseIsNamed) {
  const auto store = net::serve_store();
  LaunchOptions options;
  options.master_port = store->port();
  try {
    launch(options, {"true"});
    FAIL();
  } catch (const TransportError& error) {
    EXPECT_NE(
        std::string(error.what()).find(std::to_string(store->port())),
        std::string::npos)
        << error.what();
  }
}

TEST(EnvironmentWith, ReplacesAndAdds) {
  setenv("GV_TEST_OLD", "old", 1);
  setenv("GV_TEST_OLDER", "older", 1);
  const auto environment =
      environment_with({{"GV_TEST_OLD", "new"}, {"GV_TEST_MORE", ""}});
  const auto count = [&](const std::string& entry) {
    return std::count(environment.begin(), environment.end(), entry);
  };
  EXPECT_EQ(count("GV_TEST_OLD=old"), 0);
  EXPECT_EQ(count("GV_TEST_OLD=new"), 1);
  EXPECT_EQ(count("GV_TEST_OLDER=older"), 1);
  EXPECT_EQ(count("GV_TEST_MORE="), 1);
}

} // namespace
} // namespace grapevine::net
