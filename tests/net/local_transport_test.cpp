#include "net/exercise.h"
#include "net/on_threads.h"

#include "base/check.h"
#include "net/transports.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

namespace grapevine::net {
namespace {

using testing::Bytes;
using testing::make_bytes;
using testing::on_threads;
using testing::Transports;

Deadline soon() {
  return Deadline::after(std::chrono::milliseconds(20));
}
Deadline late() {
  return Deadline::after(std::chrono::seconds(100));
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const TransportError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

class LocalSweep : public ::testing::TestWithParam<int> {};

TEST_P(LocalSweep, MovesEveryByte) {
  auto transports = make_local_transports(GetParam());
  on_threads(transports, [](Transport& transport) {
    testing::Exercise exercise(transport);
    exercise.run();
    exercise.run_at_most();
  });
}

INSTANTIATE_TEST_SUITE_P(
    Ranks,
    LocalSweep,
    ::testing::ValuesIn(testing::kRanks));

TEST(LocalTransport, KnowsWhoItIs) {
  const auto transports = make_local_transports(3);
  EXPECT_EQ(transports[2]->rank(), 2);
  EXPECT_EQ(transports[2]->size(), 3);
  EXPECT_EQ(transports[2]->name(), "local");
}

TEST(LocalTransport, RefusesMisuseAndGoesOn) {
  auto transports = make_local_transports(2);
  Bytes bytes(4);
  EXPECT_THROW(transports[0]->send(bytes, 0, 0), CheckFailure);
  EXPECT_THROW(transports[0]->recv(bytes, 2, 0), CheckFailure);
  EXPECT_THROW(transports[0]->recv(bytes, -1, 0), CheckFailure);
  EXPECT_THROW(transports[0]->send(bytes, 1, -1), CheckFailure);
  EXPECT_THROW(transports[0]->send(bytes, 1, kMaxTag + 1), CheckFailure);
  EXPECT_THROW(transports[0]->test(Request{}), CheckFailure);
  const auto sent = transports[0]->send(bytes, 1, 0);
  transports[1]->wait(transports[1]->recv(bytes, 0, 0), late());
  transports[0]->wait(sent, late());
  EXPECT_THROW(transports[0]->wait(sent, late()), CheckFailure);
  EXPECT_THROW(make_local_transports(0), CheckFailure);
}

TEST(LocalTransport, TimesOutNamingThePeer) {
  auto transports = make_local_transports(3);
  Bytes bytes(4);
  const auto request = transports[0]->recv(bytes, 2, 0);
  try {
    transports[0]->wait(request, soon());
    FAIL();
  } catch (const TimeoutError& error) {
    EXPECT_STREQ(error.what(), "timed out receiving 4 bytes from worker 2");
  }
}

TEST(LocalTransport, IsOfNoUseAfterAnErrorAndItsPeersKnow) {
  auto transports = make_local_transports(2);
  Bytes bytes(4);
  const auto request = transports[0]->recv(bytes, 1, 0);
  EXPECT_THROW(transports[0]->wait(request, soon()), TimeoutError);
  const auto again = message_of([&] { transports[0]->send(bytes, 1, 0); });
  EXPECT_NE(again.find("timed out receiving"), std::string::npos) << again;
  EXPECT_THROW(transports[0]->test(request), TransportError);
  const auto other = message_of(
      [&] { transports[1]->wait(transports[1]->send(bytes, 0, 0), late()); });
  EXPECT_NE(other.find("worker 0 is gone"), std::string::npos) << other;
}

TEST(LocalTransport, APeerThatIsDestroyedFailsPendingAndLaterOperations) {
  auto transports = make_local_transports(3);
  Bytes bytes(4);
  const auto pending = transports[0]->recv(bytes, 1, 0);
  std::jthread destroyer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    transports[1].reset();
  });
  const auto first = message_of([&] { transports[0]->wait(pending, late()); });
  EXPECT_NE(first.find("from worker 1"), std::string::npos) << first;
  destroyer.join();
  const auto later = message_of(
      [&] { transports[2]->wait(transports[2]->send(bytes, 1, 0), late()); });
  EXPECT_NE(later.find("to worker 1"), std::string::npos) << later;
}

TEST(LocalTransport, DifferentLengthsFailBothSides) {
  auto transports = make_local_transports(2);
  Bytes four(4);
  Bytes five(5);
  const auto sent = transports[0]->send(four, 1, 0);
  const auto received = transports[1]->recv(five, 0, 0);
  EXPECT_THROW(transports[0]->wait(sent, late()), TransportError);
  EXPECT_THROW(transports[1]->wait(received, late()), TransportError);
}

// The survivors' bytes may be freed as soon as a transport is gone, so no copy
// may be in progress by then.
TEST(LocalTransport, MayBeDestroyedAtAnyTime) {
  for (int round = 0; round < 50; ++round) {
    auto transports = make_local_transports(4);
    std::vector<std::jthread> threads;
    for (auto& transport : transports) {
      threads.emplace_back([&transport, round] {
        const int rank = transport->rank();
        Bytes out = make_bytes(rank, 0, 0, 100000);
        Bytes in(100000);
        try {
          for (int step = 0; step < round % 5 + rank; ++step) {
            const auto sent = transport->send(out, (rank + 1) % 4, 0);
            const auto received = transport->recv(in, (rank + 3) % 4, 0);
            transport->wait(received, late());
            EXPECT_EQ(in, make_bytes((rank + 3) % 4, 0, 0, in.size()));
            transport->wait(sent, late());
          }
        } catch (const TransportError&) {
        }
        transport.reset();
      });
    }
  }
}

} // namespace
} // namespace grapevine::net
