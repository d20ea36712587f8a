// This program links net/c10d/gloo_getpeername_shim.cpp, which stands
// before the C library's getpeername and differs from it for Gloo alone.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace grapevine::net {
namespace {

using AskForPeer = int(int, sockaddr*, socklen_t*);

struct Answer {
  int result = 0;
  int error = 0;
  int family = 0;
};

Answer ask(AskForPeer* function, int file) {
  sockaddr_storage address{};
  address.ss_family = AF_UNSPEC;
  socklen_t length = sizeof(address);
  errno = 0;
  const int result =
      function(file, reinterpret_cast<sockaddr*>(&address), &length);
  return {result, errno, address.ss_family};
}

class GlooGetpeernameShim : public ::testing::Test {
 protected:
  GlooGetpeernameShim() {
    library_ = dlopen(GLOO_CALLER, RTLD_NOW);
    if (library_ == nullptr) return;
    as_gloo_ = reinterpret_cast<AskForPeer*>(dlsym(library_, "ask_for_peer"));
  }
  ~GlooGetpeernameShim() override {
    if (library_ != nullptr) dlclose(library_);
    close(unconnected_);
  }
  void SetUp() override { ASSERT_NE(as_gloo_, nullptr) << dlerror(); }

  void* library_ = nullptr;
  AskForPeer* as_gloo_ = nullptr;
  int unconnected_ = socket(AF_INET, SOCK_STREAM, 0);
};

TEST_F(GlooGetpeernameShim, TellsGlooOfAnAddressWithoutAName) {
  const Answer answer = ask(as_gloo_, unconnected_);
  EXPECT_EQ(answer.result, 0);
  EXPECT_EQ(answer.family, AF_INET);
}

TEST_F(GlooGetpeernameShim, TellsOthersThatThereIsNone) {
  const Answer answer = ask(getpeername, unconnected_);
  EXPECT_EQ(answer.result, -1);
  EXPECT_EQ(answer.error, ENOTCONN);
}

TEST_F(GlooGetpeernameShim, LeavesOtherErrorsAsTheyAre) {
  const Answer answer = ask(as_gloo_, -1);
  EXPECT_EQ(answer.result, -1);
  EXPECT_EQ(answer.error, EBADF);
}

TEST_F(GlooGetpeernameShim, TellsTheNameOfAPeer) {
  int files[2] = {};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, files), 0);
  for (AskForPeer* function :
       {as_gloo_, static_cast<AskForPeer*>(getpeername)}) {
    const Answer answer = ask(function, files[0]);
    EXPECT_EQ(answer.result, 0);
    EXPECT_EQ(answer.family, AF_UNIX);
  }
  for (const int file : files)
    close(file);
}

} // namespace
} // namespace grapevine::net
