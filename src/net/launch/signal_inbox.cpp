#include "net/launch/signal_inbox.h"

#include "base/check.h"
#include "base/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace grapevine::net {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};

// A handler has no argument to find its inbox by, so these are global.
std::atomic<int> read_end{-1};
std::atomic<int> write_end{-1};

void put_into_pipe(int number, siginfo_t* info, void*) {
  const int error = errno;
  const SignalInbox::Signal signal{number, info->si_pid};
  // So short a write is whole or fails; a full pipe holds enough reasons to
  // look around.
  [[maybe_unused]] const auto written =
      write(write_end.load(), &signal, sizeof(signal));
  errno = error;
}

} // namespace

SignalInbox::SignalInbox() {
  GV_CHECK(write_end.load() < 0);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    throw IoError(fmt::format("pipe: {}", std::strerror(errno)));
  }
  read_end = ends[0];
  write_end = ends[1];
  struct sigaction action = {};
  action.sa_sigaction = put_into_pipe;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigfillset(&action.sa_mask);
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], nullptr, &former_[i]);
    const bool is_ignored = former_[i].sa_handler == SIG_IGN;
    if (kSignals[i] == SIGHUP && is_ignored) continue;
    sigaction(kSignals[i], &action, nullptr);
  }
}

SignalInbox::~SignalInbox() {
  for (size_t i = 0; i < std::size(kSignals); ++i) {
    sigaction(kSignals[i], &former_[i], nullptr);
  }
  // A handler may still be running on another thread: it finds no descriptor,
  // or one that write refuses.
  close(write_end.exchange(-1));
  close(read_end.exchange(-1));
}

std::vector<SignalInbox::Signal> SignalInbox::wait(
    std::chrono::milliseconds timeout) {
  pollfd waiting{read_end.load(), POLLIN, 0};
  poll(&waiting, 1, static_cast<int>(timeout.count()));
  std::vector<Signal> signals;
  Signal signal{};
  while (read(read_end.load(), &signal, sizeof(signal)) == sizeof(signal)) {
    signals.push_back(signal);
  }
  return signals;
}

} // namespace grapevine::net
