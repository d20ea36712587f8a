// Jobs of transport_worker processes, and what they leave behind.
#pragma once

#include "net/launch/launch.h"
#include "net/launch/spawn.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace grapevine::net::testing {

using Environment = std::vector<std::pair<std::string, std::string>>;

// The workers' notes, in a directory that goes away with this.
class Notes {
 public:
  Notes() {
    std::string path =
        (std::filesystem::temp_directory_path() / "grapevine-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) throw std::runtime_error(path);
    directory_ = path;
  }
  ~Notes() { std::filesystem::remove_all(directory_); }

  const std::string& directory() const { return directory_; }

  std::string error(int rank) const { return text(rank, "error"); }

  // What a worker has written to RANK.ENDING.
  std::string text(int rank, const char* ending) const {
    std::ifstream file(fmt::format("{}/{}.{}", directory_, rank, ending));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // Nothing may be left of the job. What the kernel has not quite finished
  // with gets a moment.
  void expect_none_running(int size) const {
    for (int rank = 0; rank < size; ++rank) {
      const std::string pid = text(rank, "pid");
      ASSERT_FALSE(pid.empty()) << "rank " << rank << " never started";
      for (int i = 0; i < 1000 && is_running(pid); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
      EXPECT_FALSE(is_running(pid)) << "rank " << rank << " is left running";
    }
  }

 private:
  // A zombie, to be reaped by some other process, does not run.
  static bool is_running(const std::string& pid) {
    std::ifstream file("/proc/" + pid + "/stat");
    std::string text;
    if (!std::getline(file, text)) return false;
    const auto name_end = text.rfind(')');
    return name_end != std::string::npos && text[name_end + 2] != 'Z';
  }

  std::string directory_;
};

inline std::string worker_program() {
  return TRANSPORT_WORKER;
}

// Sets variables of this process, for its children to inherit.
class ScopedEnvironment {
 public:
  explicit ScopedEnvironment(const Environment& variables)
      : variables_(variables) {
    for (const auto& [name, value] : variables_) {
      setenv(name.c_str(), value.c_str(), 1);
    }
  }
  ~ScopedEnvironment() {
    for (const auto& [name, value] : variables_) {
      unsetenv(name.c_str());
    }
  }

 private:
  Environment variables_;
};

inline int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// A worker started by hand, as by a torchrun-style script.
inline pid_t start_worker(
    const Notes& notes,
    const std::vector<std::string>& arguments,
    Environment environment) {
  std::vector<std::string> command = {worker_program()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  environment.emplace_back("OUT", notes.directory());
  return net::spawn(command, net::environment_with(environment));
}

inline net::LaunchReport launch_workers(
    const Notes& notes,
    int n,
    const std::vector<std::string>& arguments,
    const std::string& deadline = "60",
    net::LaunchOptions options = {}) {
  const ScopedEnvironment environment(
      {{"OUT", notes.directory()}, {"DEADLINE", deadline}});
  std::vector<std::string> command = {worker_program()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  options.workers = n;
  return net::launch(options, command);
}

} // namespace grapevine::net::testing
