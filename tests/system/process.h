// A program that is running: it can be watched, sent signals, killed with all
// that it started, and it leaves nothing behind, however the test ends.
#pragma once

#include "system/program.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace grapevine::system {

using Seconds = std::chrono::duration<double>;

// Far beyond what a noisy machine needs; a hang is what it is meant to find.
inline constexpr Seconds kPatience{300};

// Polls until `happened`, false if it did not in time.
inline bool wait_until(
    const std::function<bool()>& happened,
    Seconds limit = kPatience) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!happened()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

struct ProcessState {
  pid_t parent;
  char state; // 'R', 'S', 'T' stopped, 'Z' dead but not reaped, …
};

// Every process of this machine, as /proc has it.
inline std::map<pid_t, ProcessState> all_processes() {
  std::map<pid_t, ProcessState> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    const std::string text = cli::read_text(entry.path() / "stat");
    // The name, in parentheses, may itself hold some.
    const size_t name_end = text.rfind(')');
    if (name_end == std::string::npos) continue;
    char state = 0;
    int parent = 0;
    if (std::sscanf(text.c_str() + name_end + 1, " %c %d", &state, &parent) ==
        2) {
      found[pid] = {parent, state};
    }
  }
  return found;
}

inline std::vector<pid_t> descendants_of(pid_t root) {
  const auto processes = all_processes();
  std::vector<pid_t> found;
  for (const auto& [pid, process] : processes) {
    pid_t above = process.parent;
    while (above != root && processes.contains(above)) {
      above = processes.at(above).parent;
    }
    if (above == root) found.push_back(pid);
  }
  return found;
}

// What a test left running. Orphans of its processes come to this one, which
// is made their reaper by the first Process. A process is over when it could be
// reaped: /proc calls it dead as soon as its first thread is, while others may
// still hold its files and their locks.
inline std::vector<pid_t> still_running() {
  const auto processes = all_processes();
  std::vector<pid_t> alive;
  for (const pid_t pid : descendants_of(getpid())) {
    const bool is_dead =
        processes.contains(pid) && processes.at(pid).state == 'Z';
    // -1 where it is not ours to reap: then its parent is listed.
    const bool is_over =
        is_dead ? waitpid(pid, nullptr, WNOHANG) != 0 : kill(pid, 0) != 0;
    if (!is_over) alive.push_back(pid);
  }
  return alive;
}

class Process {
 public:
  // `command` and, in front of the test's own environment, `variables`
  // ("NAME=value").
  explicit Process(const Words& command, const Words& variables = {}) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_ = fork();
    if (pid_ == 0) become(command, variables);
  }
  ~Process() {
    if (!status_) {
      kill_tree();
      waitpid(pid_, nullptr, 0);
    }
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }

  bool running() {
    int status = 0;
    if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
    return !status_;
  }

  void signal(int number) {
    if (running()) kill(pid_, number);
  }

  // SIGKILL for it and everything below it; for it first, which else might
  // still see that the others have died.
  void kill_tree() {
    const std::vector<pid_t> below = descendants_of(pid_);
    signal(SIGKILL);
    for (const pid_t pid : below)
      kill(pid, SIGKILL);
  }

  // Its end, which must come within the limit. exit_code is -1 if a signal
  // killed it.
  cli::Answer wait(Seconds limit = kPatience) {
    const bool ended = wait_until([&] { return !running(); }, limit);
    EXPECT_TRUE(ended) << "still running after " << limit.count() << " s; "
                       << error();
    if (!ended) {
      kill_tree();
      wait_until([&] { return !running(); });
    }
    const int code = WIFEXITED(*status_) ? WEXITSTATUS(*status_) : -1;
    return {code, cli::read_text(scratch_.path() / "out"), error()};
  }

  std::string error() const {
    return cli::read_text(scratch_.path() / "error");
  }

  // The process that a launcher started as worker `rank`.
  pid_t worker(int rank) {
    pid_t found = -1;
    EXPECT_TRUE(wait_until([&] {
      for (const pid_t pid : descendants_of(pid_)) {
        if (is_worker(pid, rank)) found = pid;
      }
      return found > 0 || !running();
    }));
    // Never -1, which kill() takes for everybody.
    if (found <= 0) {
      throw std::runtime_error(
          "no worker " + std::to_string(rank) + ": " + error());
    }
    return found;
  }

 private:
  [[noreturn]] void become(const Words& command, const Words& variables) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const auto redirect = [&](const char* name, int to) {
      const std::string path = scratch_.file(name);
      dup2(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), to);
    };
    redirect("out", STDOUT_FILENO);
    redirect("error", STDERR_FILENO);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    setenv(cli::kMpirunFolder, scratch_.path().c_str(), 1);
    for (const std::string& variable : variables) {
      const size_t equals = variable.find('=');
      setenv(
          variable.substr(0, equals).c_str(),
          variable.substr(equals + 1).c_str(),
          1);
    }
    std::vector<char*> words;
    for (const std::string& word : command) {
      words.push_back(const_cast<char*>(word.c_str()));
    }
    words.push_back(nullptr);
    if (chdir(scratch_.path().c_str()) == 0) execvp(words[0], words.data());
    std::_Exit(127);
  }

  static bool is_worker(pid_t pid, int rank) {
    const std::string variables =
        '\0' + cli::read_text("/proc/" + std::to_string(pid) + "/environ");
    for (const std::string name : {"RANK=", "OMPI_COMM_WORLD_RANK="}) {
      const std::string wanted =
          '\0' + name + std::to_string(rank) + std::string(1, '\0');
      if (variables.find(wanted) != std::string::npos) return true;
    }
    return false;
  }

  cli::Scratch scratch_;
  pid_t pid_ = -1;
  std::optional<int> status_;
};

inline std::string program() {
  const char* path = std::getenv("GRAPEVINE_PROGRAM");
  return path ? path : "";
}

inline Words alone(const Words& words) {
  return Words{program()} + words;
}

inline Words under_launch(int n, const Words& words) {
  return Words{program(), "launch", "-n", std::to_string(n)} +
         "--deadline 15 --" + words;
}

inline Words under_mpirun(int n, const Words& words) {
  return split(
             "env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
             "OMP_NUM_THREADS=1 mpirun --oversubscribe") +
         Words{"-np", std::to_string(n), program()} + words;
}

} // namespace grapevine::system
