#include "net/launch/spawn.h"

#include "base/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

namespace grapevine::net {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const std::string& string : strings) {
    result.push_back(const_cast<char*>(string.c_str()));
  }
  result.push_back(nullptr);
  return result;
}

// Nothing is delivered while it lives: a child between fork and exec must not
// run its parent's handlers.
class AllSignalsBlocked {
 public:
  AllSignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

// In the child. The parent may have threads, so only system calls are safe.
[[noreturn]] void become(
    char* const* command,
    char* const* environment,
    pid_t parent,
    int error_pipe) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The parent may have died before that took effect.
  if (getppid() != parent) _exit(1);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE}) {
    struct sigaction now = {};
    sigaction(signal, nullptr, &now);
    const bool is_ignored = now.sa_handler == SIG_IGN;
    if (signal == SIGHUP && is_ignored) continue; // nohup
    std::signal(signal, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  execvpe(command[0], command, environment);
  const int error = errno;
  [[maybe_unused]] const auto written =
      write(error_pipe, &error, sizeof(error));
  _exit(127);
}

} // namespace

pid_t spawn(
    const std::vector<std::string>& command,
    const std::vector<std::string>& environment) {
  const auto command_pointers = pointers(command);
  const auto environment_pointers = pointers(environment);
  // Closed by a successful exec; else it brings errno.
  int error_pipe[2];
  if (pipe2(error_pipe, O_CLOEXEC) != 0) {
    throw IoError(fmt::format("pipe: {}", std::strerror(errno)));
  }
  const pid_t parent = getpid();
  pid_t child = -1;
  {
    const AllSignalsBlocked blocked;
    child = fork();
    if (child == 0) {
      become(
          command_pointers.data(),
          environment_pointers.data(),
          parent,
          error_pipe[1]);
    }
  }
  const int fork_error = errno;
  close(error_pipe[1]);
  int exec_error = 0;
  ssize_t got = 0;
  if (child > 0) {
    do {
      got = read(error_pipe[0], &exec_error, sizeof(exec_error));
    } while (got < 0 && errno == EINTR);
  }
  close(error_pipe[0]);
  if (child < 0) {
    throw IoError(
        fmt::format("cannot make a process: {}", std::strerror(fork_error)));
  }
  if (got > 0) {
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    throw ConfigError(fmt::format(
        "cannot start '{}': {}",
        command[0],
        std::strerror(exec_error)));
  }
  return child;
}

std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    bool replaced = false;
    for (const auto& [name, value] : changes) {
      replaced = replaced ||
                 (variable.starts_with(name) && variable.size() > name.size() &&
                  variable[name.size()] == '=');
    }
    if (!replaced) result.emplace_back(variable);
  }
  result.reserve(result.size() + changes.size());
  for (const auto& [name, value] : changes) {
    result.push_back(fmt::format("{}={}", name, value));
  }
  return result;
}

} // namespace grapevine::net
