// Workers that meet wrongly or never, over Gloo, started by hand as a script
// would do it.
#include "system/long_run.h"

#include <netinet/in.h>
#include <sys/socket.h>

namespace grapevine::system {
namespace {

// A port of the loopback interface that is listened at as long as this lives.
class Listener {
 public:
  Listener() : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(socket_, generic, length), 0);
    EXPECT_EQ(listen(socket_, 1), 0);
    EXPECT_EQ(getsockname(socket_, generic, &length), 0);
    port_ = std::to_string(ntohs(address.sin_port));
  }
  ~Listener() { close(socket_); }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  const std::string& port() const { return port_; }

 private:
  int socket_;
  std::string port_;
};

// Free a moment ago.
std::string free_port() {
  return Listener().port();
}

Words place_in_world(int rank, int size, const std::string& port) {
  return {
      "RANK=" + std::to_string(rank),
      "WORLD_SIZE=" + std::to_string(size),
      "MASTER_ADDR=127.0.0.1",
      "MASTER_PORT=" + port};
}

TEST(BadWorld, APeerThatNeverComes) {
  const cli::Scratch scratch;
  const std::string port = free_port();
  const Words words =
      alone(small_run("d-ring", scratch.file("run")) + "--deadline 8");
  Process first(words, place_in_world(0, 3, port));
  Process third(words, place_in_world(2, 3, port));
  expect_clear_failure(
      first.wait(),
      1,
      {"worker 0", "timed out", "missing rank 1"});
  EXPECT_EQ(third.wait().exit_code, 1);
  EXPECT_FALSE(std::filesystem::exists(scratch.file("run")));
}

TEST(BadWorld, AMeetingPointThatIsNotThere) {
  const cli::Scratch scratch;
  const std::string port = free_port();
  Process process(
      alone(small_run("d-ring", scratch.file("run")) + "--deadline 3"),
      place_in_world(1, 2, port));
  const cli::Answer answer = process.wait();
  EXPECT_EQ(answer.exit_code, 1);
  for (const std::string& part :
       {std::string("worker 1"), "127.0.0.1:" + port}) {
    EXPECT_TRUE(cli::contains(answer.error, part)) << answer.error;
  }
}

// What is said about it must not be packed itself.
TEST(BadWorld, AWorkerThatPacksAlone) {
  const cli::Scratch scratch;
  const auto place = [&](int rank) {
    return Words{
        "RANK=" + std::to_string(rank),
        "WORLD_SIZE=2",
        "HOST_ADDRESS=127.0.0.1",
        "GRAPEVINE_STORE_FILE=" + scratch.file("store")};
  };
  const Words words = alone(small_run("d-ring", scratch.file("run")));
  Process first(words, place(0));
  Process second(words + "--packing", place(1));
  expect_clear_failure(first.wait(), 2, {"workers disagree on packing"});
  EXPECT_EQ(second.wait().exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(scratch.file("run")));
}

TEST(BadWorld, APortInUse) {
  const cli::Scratch scratch;
  const Listener listener;
  const Words words = small_run("d-ring", scratch.file("run")) + "--deadline 3";
  Process process(alone(words), place_in_world(0, 2, listener.port()));
  const cli::Answer answer = process.wait();
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_TRUE(cli::contains(answer.error, "port " + listener.port()))
      << answer.error;

  Process launcher(
      Words{program(), "launch", "-n", "2", "--port", listener.port(), "--"} +
      words);
  const cli::Answer launched = launcher.wait();
  EXPECT_EQ(launched.exit_code, 1);
  EXPECT_TRUE(cli::contains(launched.error, "port " + listener.port()))
      << launched.error;
  EXPECT_FALSE(std::filesystem::exists(scratch.file("run")));
}

TEST(BadWorld, APeerWithAnotherSpec) {
  const cli::Scratch scratch;
  const std::string port = free_port();
  const auto words = [&](const std::string& lr) {
    return alone(small_run("d-ring", scratch.file("run")) + Words{"--lr", lr});
  };
  Process first(words("0.05"), place_in_world(0, 2, port));
  Process second(words("0.07"), place_in_world(1, 2, port));
  for (Process* process : {&first, &second}) {
    expect_clear_failure(process->wait(), 2, {"lr", "0.05", "0.07"});
  }
  EXPECT_FALSE(std::filesystem::exists(scratch.file("run")))
      << "nothing is left of a run that never began";
}

TEST(BadWorld, AnotherNumberOfWorkersThanWereStarted) {
  const cli::Scratch scratch;
  Process process(
      alone(small_run("d-ring", scratch.file("run")) + "-n 3"),
      place_in_world(0, 2, free_port()));
  expect_clear_failure(process.wait(), 2, {"-n", "3", "2"});
}

TEST(BadWorld, HalfAnEnvironment) {
  const cli::Scratch scratch;
  Process process(alone(small_run("d-ring", scratch.file("run"))), {"RANK=0"});
  expect_clear_failure(process.wait(), 2, {"WORLD_SIZE"});
}

} // namespace
} // namespace grapevine::system
