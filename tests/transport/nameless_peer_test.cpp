// transport/c10d/nameless_peer.cpp stands before the C library's getpeername,
// and is that for everybody but Gloo.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace grapevine::transport {
namespace {

TEST(NamelessPeer, OthersAreToldThatThereIsNone) {
  const int file = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_GE(file, 0);
  sockaddr_storage address{};
  socklen_t length = sizeof(address);
  EXPECT_EQ(
      getpeername(file, reinterpret_cast<sockaddr*>(&address), &length),
      -1);
  EXPECT_EQ(errno, ENOTCONN);
  close(file);
}

TEST(NamelessPeer, APeerHasItsName) {
  int files[2] = {};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, files), 0);
  sockaddr_storage address{};
  socklen_t length = sizeof(address);
  EXPECT_EQ(
      getpeername(files[0], reinterpret_cast<sockaddr*>(&address), &length),
      0);
  EXPECT_EQ(address.ss_family, AF_UNIX);
  for (const int file : files)
    close(file);
}

} // namespace
} // namespace grapevine::transport
