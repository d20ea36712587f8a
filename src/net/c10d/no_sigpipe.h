// Gloo writes to its sockets without MSG_NOSIGNAL: a write after the peer has
// closed its end is a SIGPIPE, which by default ends the process before the
// error can be told. A library must not change that for the whole process, so
// the signal is held back in the threads that may write.
#pragma once

#include <csignal>
#include <ctime>

namespace grapevine::net {

// While this lives, a write of the calling thread to a closed socket is an
// error (EPIPE) and nothing else. Threads that are started meanwhile are so for
// all of their life. Costs three system calls.
class NoSigpipe {
 public:
  NoSigpipe() {
    sigemptyset(&sigpipe_);
    sigaddset(&sigpipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &sigpipe_, &before_);
  }
  ~NoSigpipe() {
    // Blocked already by another part of the program: its business.
    if (sigismember(&before_, SIGPIPE) == 1) return;
    const timespec now = {};
    sigtimedwait(&sigpipe_, nullptr, &now); // takes one that came
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoSigpipe(const NoSigpipe&) = delete;
  NoSigpipe& operator=(const NoSigpipe&) = delete;

 private:
  sigset_t sigpipe_;
  sigset_t before_;
};

} // namespace grapevine::net
