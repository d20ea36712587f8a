#include "net/c10d/no_sigpipe.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

namespace grapevine::net {
namespace {

// A pipe that nobody reads.
class Closed {
 public:
  Closed() {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("pipe");
    close(ends[0]);
    end_ = ends[1];
  }
  ~Closed() { close(end_); }
  int write_errno() const { return write(end_, "x", 1) < 0 ? errno : 0; }

 private:
  int end_;
};

bool is_pending() {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, SIGPIPE) == 1;
}

TEST(NoSigpipe, AWriteToAClosedEndIsAnError) {
  const Closed closed;
  for (int i = 0; i < 3; ++i) {
    const NoSigpipe no_sigpipe;
    EXPECT_EQ(closed.write_errno(), EPIPE);
    EXPECT_TRUE(is_pending());
  }
  EXPECT_FALSE(is_pending());
  EXPECT_EXIT(closed.write_errno(), ::testing::KilledBySignal(SIGPIPE), "");
}

TEST(NoSigpipe, HoldsForThreadsThatStartMeanwhile) {
  const Closed closed;
  std::thread thread;
  {
    const NoSigpipe no_sigpipe;
    thread = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      EXPECT_EQ(closed.write_errno(), EPIPE);
    });
  }
  thread.join();
}

TEST(NoSigpipe, NestedOnesLeaveTheSignalToTheOuter) {
  const Closed closed;
  const NoSigpipe outer;
  {
    const NoSigpipe inner;
    EXPECT_EQ(closed.write_errno(), EPIPE);
  }
  EXPECT_EQ(closed.write_errno(), EPIPE);
}

} // namespace
} // namespace grapevine::net
