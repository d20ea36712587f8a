// Signals as something to wait for.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <vector>

namespace grapevine::net {

// Takes SIGINT, SIGTERM, SIGHUP and SIGCHLD from construction to destruction,
// whichever thread they come to, and then gives them back to their former
// handlers. A SIGHUP that is ignored (nohup) stays so. One at a time in a
// process.
class SignalInbox {
 public:
  SignalInbox();
  ~SignalInbox();
  SignalInbox(const SignalInbox&) = delete;
  SignalInbox& operator=(const SignalInbox&) = delete;

  struct Signal {
    int number;
    pid_t child; // which one changed, for SIGCHLD
  };

  // The signals that have come, in that order, as soon as there are any; none
  // once `timeout` has passed. The kernel keeps one SIGCHLD at a time, that of
  // the child which changed first: look for others too.
  std::vector<Signal> wait(std::chrono::milliseconds timeout);

 private:
  struct sigaction former_[4];
};

} // namespace grapevine::net
