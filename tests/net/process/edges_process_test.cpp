// Edges over Gloo in real processes: killed, stopped, started again.
#include "member/edges.h"
#include "net/gloo.h"
#include "net/process/job.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <numeric>
#include <sstream>

namespace grapevine::net {
namespace {

using testing::Notes;
using testing::start_worker;
using testing::wait_for;

// What one worker says of one neighbour.
struct Talk {
  int messages = 0;
  int links = 0;
};

// By neighbour.
std::map<int, Talk> talks_of(const Notes& notes, int rank) {
  std::map<int, Talk> talks;
  std::istringstream text(notes.text(rank, "talk"));
  int peer = 0;
  Talk talk;
  while (text >> peer >> talk.messages >> talk.links)
    talks[peer] = talk;
  return talks;
}

std::string all_texts(const Notes& notes, int n) {
  std::string all;
  for (int rank = 0; rank < n; ++rank) {
    for (const char* ending : {"talk", "losses", "error", "members"})
      all +=
          fmt::format("--- {}.{}\n{}", rank, ending, notes.text(rank, ending));
  }
  return all;
}

bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 6000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

class EdgesJob {
 public:
  // Over the network, or through shared memory; over the network after having
  // met in a file.
  enum class Way { kFar, kNear, kFile };

  explicit EdgesJob(int n, std::string deadline = "60", Way way = Way::kFar)
      : n_(n),
        deadline_(std::move(deadline)),
        way_(way) {
    for (int rank = 0; rank < n_; ++rank)
      start(rank);
  }
  ~EdgesJob() {
    for (const auto& [rank, pid] : running_) {
      ::kill(pid, SIGKILL);
      wait_for(pid);
    }
  }

  void start(int rank) {
    std::filesystem::remove(
        fmt::format("{}/{}.talk", notes_.directory(), rank));
    testing::Environment environment = {
        {"RANK", std::to_string(rank)},
        {"WORLD_SIZE", std::to_string(n_)},
        {"GRAPEVINE_SHARE_MEMORY", way_ == Way::kNear ? "1" : "0"},
        {"DEADLINE", deadline_}};
    if (way_ == Way::kFile) {
      environment.emplace_back("HOST_ADDRESS", "127.0.0.1");
      environment.emplace_back(
          "GRAPEVINE_STORE_FILE",
          notes_.directory() + "/store");
    } else {
      environment.emplace_back("MASTER_ADDR", "127.0.0.1");
      environment.emplace_back("MASTER_PORT", std::to_string(store_->port()));
      environment.emplace_back("TORCHELASTIC_USE_AGENT_STORE", "True");
    }
    running_[rank] = start_worker(notes_, {"edges"}, environment);
  }
  void signal(int rank, int number) { ::kill(running_.at(rank), number); }
  void kill(int rank) {
    signal(rank, SIGKILL);
    wait_for(running_.at(rank));
    running_.erase(rank);
  }
  int wait(int rank) {
    const int code = wait_for(running_.at(rank));
    running_.erase(rank);
    return code;
  }
  void end() { std::ofstream(notes_.directory() + "/end"); }

  std::map<int, Talk> talks(int rank) const { return talks_of(notes_, rank); }
  std::string text(int rank, const char* ending) const {
    return notes_.text(rank, ending);
  }
  std::string all_texts() const { return net::all_texts(notes_, n_); }

  // Every pair of these has exchanged so many messages from now on.
  void expect_talk(const std::vector<int>& ranks, int more = 5) {
    std::map<int, std::map<int, Talk>> before;
    for (const int rank : ranks)
      before[rank] = talks(rank);
    const bool is_met = eventually([&] {
      return each_pair(ranks, [&](int rank, int peer) {
        return talks(rank)[peer].messages >= before[rank][peer].messages + more;
      });
    });
    EXPECT_TRUE(is_met) << all_texts();
  }

  // All of these end well, and have come together at the end.
  void expect_gathering(const std::vector<int>& ranks) {
    std::string members;
    for (const int rank : ranks)
      members += fmt::format("{} ", rank);
    for (const int rank : ranks) {
      EXPECT_EQ(wait(rank), 0) << all_texts();
      EXPECT_EQ(text(rank, "members"), members) << all_texts();
    }
  }

 private:
  static bool each_pair(
      const std::vector<int>& ranks,
      const std::function<bool(int, int)>& holds) {
    for (const int rank : ranks) {
      for (const int peer : ranks) {
        if (rank != peer && !holds(rank, peer)) return false;
      }
    }
    return true;
  }

  int n_;
  std::string deadline_;
  Way way_;
  Notes notes_;
  std::unique_ptr<StoreServer> store_ = serve_store();
  std::map<int, pid_t> running_;
};

std::vector<int> everybody(int n) {
  std::vector<int> ranks(n);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

std::vector<int> all_but(int rank, int n) {
  auto ranks = everybody(n);
  std::erase(ranks, rank);
  return ranks;
}

using Way = EdgesJob::Way;

class GlooEdges : public ::testing::TestWithParam<std::pair<int, Way>> {};

TEST_P(GlooEdges, TalkAndGather) {
  const int n = GetParam().first;
  EdgesJob job(n, "60", GetParam().second);
  job.expect_talk(everybody(n));
  for (const int rank : everybody(n)) {
    const bool is_near = GetParam().second == Way::kNear;
    EXPECT_EQ(job.text(rank, "way"), is_near ? "near" : "far");
  }
  job.end();
  job.expect_gathering(everybody(n));
}

INSTANTIATE_TEST_SUITE_P(
    Ranks,
    GlooEdges,
    ::testing::Values(
        std::pair(2, Way::kFar),
        std::pair(2, Way::kNear),
        std::pair(3, Way::kNear),
        std::pair(3, Way::kFile),
        std::pair(4, Way::kFar),
        std::pair(7, Way::kNear)));

class GlooEdgesVictim : public ::testing::TestWithParam<std::pair<int, Way>> {};

// The others go on, at once; who returns is linked again; nobody is missing at
// the end.
TEST_P(GlooEdgesVictim, IsKilledAndComesBack) {
  const int victim = GetParam().first;
  EdgesJob job(4, "60", GetParam().second);
  job.expect_talk(everybody(4));
  job.kill(victim);
  job.expect_talk(all_but(victim, 4));
  job.start(victim);
  job.expect_talk(everybody(4));
  for (const int rank : all_but(victim, 4)) {
    EXPECT_GE(job.talks(rank)[victim].links, 2) << job.all_texts();
    for (const int other : all_but(victim, 4)) {
      if (other == rank) continue;
      EXPECT_EQ(job.talks(rank)[other].links, 1) << job.all_texts();
    }
  }
  job.end();
  job.expect_gathering(everybody(4));
}

// Cut off, as far as the others can tell: found by their own deadline. It was
// not dead, and so comes back without a new process.
TEST_P(GlooEdgesVictim, IsStoppedAndGoesOn) {
  const int victim = GetParam().first;
  EdgesJob job(3, "5", GetParam().second);
  job.expect_talk(everybody(3));
  job.signal(victim, SIGSTOP);
  for (const int rank : all_but(victim, 3)) {
    EXPECT_TRUE(eventually([&] {
      return job.text(rank, "losses").find(std::to_string(victim) + ": no") !=
             std::string::npos;
    })) << job.all_texts();
  }
  job.expect_talk(all_but(victim, 3));
  job.signal(victim, SIGCONT);
  job.expect_talk(everybody(3));
  job.end();
  job.expect_gathering(everybody(3));
}

TEST_P(GlooEdgesVictim, IsMissingAtTheEnd) {
  const int victim = GetParam().first;
  EdgesJob job(4, "5", GetParam().second);
  job.expect_talk(everybody(4));
  job.kill(victim);
  job.end();
  job.expect_gathering(all_but(victim, 4));
  // Whoever comes now is told so.
  job.start(victim);
  EXPECT_EQ(job.wait(victim), 4);
  EXPECT_NE(job.text(victim, "error").find("came too late"), std::string::npos)
      << job.text(victim, "error");
}

INSTANTIATE_TEST_SUITE_P(
    Ranks,
    GlooEdgesVictim,
    ::testing::Values(
        std::pair(0, Way::kNear),
        std::pair(1, Way::kFar),
        std::pair(1, Way::kFile),
        std::pair(2, Way::kNear)));

TEST(GlooEdgesProcess, AllButOneMayDie) {
  EdgesJob job(3, "2");
  job.expect_talk(everybody(3));
  job.kill(0);
  job.kill(2);
  job.end();
  job.expect_gathering({1});
}

// `grapevine launch` itself, over limited links: worker 1 dies once and is
// started again, the others talk on, and all gather.
TEST(GlooEdgesProcess, OverLimitedLinksAndStartedAgain) {
  const Notes notes;
  net::LaunchOptions options;
  options.link = parse_link("1gbit,1ms");
  options.on_failure = net::OnFailure::kRestart;
  const auto talk = [&](int rank, int peer) {
    return talks_of(notes, rank)[peer];
  };
  std::jthread script([&] {
    EXPECT_TRUE(eventually([&] {
      return talk(0, 1).messages > 5 && talk(2, 1).messages > 5;
    })) << all_texts(notes, 3);
    ::kill(std::stoi(notes.text(1, "pid")), SIGKILL);
    EXPECT_TRUE(eventually([&] {
      return talk(0, 1).links >= 2 && talk(2, 1).links >= 2 &&
             talk(1, 2).messages > 5 && talk(1, 0).messages > 5;
    })) << all_texts(notes, 3);
    std::ofstream(notes.directory() + "/end");
  });
  const auto report =
      testing::launch_workers(notes, 3, {"edges"}, "60", options);
  EXPECT_EQ(report.exit_code, 0) << report.message;
  EXPECT_EQ(
      report.message,
      "worker 1 was killed by signal 9 and was started again (1 of 3)");
  for (int rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(notes.text(rank, "members"), "0 1 2 ") << notes.error(rank);
  }
}

// Lost for good, and the launcher says so: nobody waits for it at the end,
// though the deadline is long.
TEST(GlooEdgesProcess, TheLaunchersWordSparesTheWait) {
  const Notes notes;
  net::LaunchOptions options;
  options.on_failure = net::OnFailure::kContinue;
  const auto begin = std::chrono::steady_clock::now();
  std::jthread script([&] {
    pid_t pid = -1;
    EXPECT_TRUE(eventually([&] {
      std::ifstream file(fmt::format("{}/1.pid", notes.directory()));
      return std::filesystem::exists(notes.directory() + "/0.talk") &&
             static_cast<bool>(file >> pid);
    }));
    if (pid > 0) ::kill(pid, SIGKILL);
    std::ofstream(notes.directory() + "/end");
  });
  const auto report =
      testing::launch_workers(notes, 3, {"edges"}, "600", options);
  EXPECT_LT(
      std::chrono::steady_clock::now() - begin,
      std::chrono::seconds(500));
  EXPECT_EQ(report.exit_code, 0) << report.message;
  EXPECT_EQ(report.message, "worker 1 was killed by signal 9 and was lost");
}

// Killed at some moment of the gathering, each time another one: the rest
// agree, whether it was counted in or not.
TEST(GlooEdgesProcess, ADeathDuringTheGathering) {
  for (const int victim : {0, 1, 3}) {
    EdgesJob job(4, "6");
    job.expect_talk(everybody(4), 1);
    job.end();
    std::this_thread::sleep_for(std::chrono::milliseconds(15 * victim));
    job.signal(victim, SIGKILL);
    std::string members;
    for (const int rank : all_but(victim, 4)) {
      const int code = job.wait(rank);
      // Dead after all had agreed: then the exercise has failed, not the
      // gathering.
      if (code == 4 && job.text(rank, "error").find("receiving") != 0 &&
          job.text(rank, "error").find("sending") != 0) {
        ADD_FAILURE() << job.all_texts();
      }
      EXPECT_TRUE(code == 0 || code == 4) << job.all_texts();
      const auto mine = job.text(rank, "members");
      if (mine.empty()) continue;
      if (members.empty()) members = mine;
      EXPECT_EQ(mine, members) << job.all_texts();
    }
  }
}

} // namespace
} // namespace grapevine::net
