// Two workers of one machine, here two threads, that found each other over a
// local transport. The same in processes is part of edges_process_test.
#include "net/near/near_transport.h"

#include "base/check.h"
#include "member/fake_network.h"
#include "net/exercise.h"
#include "net/forwarding_transport.h"
#include "net/near/byte_ring.h"
#include "net/on_threads.h"
#include "net/transports.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

namespace grapevine::net {
namespace {

using testing::Bytes;
using testing::make_bytes;
using testing::on_threads;

using namespace std::chrono_literals;

Deadline soon() {
  return Deadline::after(20ms);
}
Deadline late() {
  return Deadline::after(100s);
}

// A transport that says which memory it shares.
class Elsewhere : public testing::ForwardingTransport {
 public:
  Elsewhere(std::unique_ptr<Transport> inner, std::string domain)
      : ForwardingTransport(std::move(inner)),
        domain_(std::move(domain)) {}
  std::string memory_domain() const override { return domain_; }

 private:
  std::string domain_;
};

using Pair = std::vector<std::unique_ptr<Transport>>;

Pair move_near(Pair far) {
  Pair near(2);
  on_threads(2, [&](int rank) {
    near[rank] = net::move_near().apply(
        std::move(far[rank]),
        {.name = "a pair", .workers = {3, 7}, .self = rank},
        late());
  });
  return near;
}

Pair make_pair() {
  return move_near(make_local_transports(2));
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const TransportError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(NearTransport, MovesEveryByte) {
  auto pair = make_pair();
  // Through memory: what is sent needs nobody who receives.
  const Bytes bytes = make_bytes(0, 1, 0, 1000);
  EXPECT_TRUE(pair[0]->test(pair[0]->send(bytes, 1, 0)));
  Bytes got(1000);
  pair[1]->wait(pair[1]->recv(got, 0, 0), late());
  testing::expect_bytes(got, 0, 1, 0);
  on_threads(2, [&](int rank) {
    testing::Exercise exercise(*pair[rank]);
    exercise.run();
    exercise.run_at_most();
  });
}

// Longer than the ring, both ways at once, and received in parts.
TEST(NearTransport, MovesWhatIsLongerThanItsMemory) {
  constexpr size_t kLength = (size_t{3} << 20) + 5;
  auto pair = make_pair();
  on_threads(2, [&](int rank) {
    Transport& transport = *pair[rank];
    const int peer = 1 - rank;
    const Bytes out = make_bytes(rank, peer, 2, kLength);
    Bytes in(kLength);
    const Request sent = transport.send(out, peer, 4);
    const Request received = transport.recv(in, peer, 4);
    while (!transport.test(sent))
      std::this_thread::yield();
    transport.wait(received, late());
    testing::expect_bytes(in, peer, rank, 2);
  });
}

// The receive of a message of which a part has come.
TEST(NearTransport, AReceiveMayBePostedInTheMiddle) {
  constexpr size_t kLength = size_t{2} << 20;
  auto pair = make_pair();
  const Bytes out = make_bytes(0, 1, 0, kLength);
  const Request sent = pair[0]->send(out, 1, 4);
  EXPECT_TRUE(pair[1]->progress());
  Bytes in(kLength);
  const Request received = pair[1]->recv(in, 0, 4);
  bool is_sent = false;
  while (!pair[1]->test(received))
    is_sent = is_sent || pair[0]->test(sent);
  EXPECT_TRUE(is_sent || pair[0]->test(sent));
  testing::expect_bytes(in, 0, 1, 0);
}

TEST(NearTransport, KnowsWhoItIs) {
  const auto pair = make_pair();
  EXPECT_EQ(pair[1]->rank(), 1);
  EXPECT_EQ(pair[1]->size(), 2);
  EXPECT_EQ(pair[1]->name(), "local");
}

TEST(NearTransport, RefusesMisuseAndGoesOn) {
  auto pair = make_pair();
  Bytes bytes(4);
  EXPECT_THROW(pair[0]->send(bytes, 0, 0), CheckFailure);
  EXPECT_THROW(pair[0]->recv(bytes, 2, 0), CheckFailure);
  EXPECT_THROW(pair[0]->send(bytes, 1, kMaxTag + 1), CheckFailure);
  EXPECT_THROW(pair[0]->test(Request{}), CheckFailure);
  const auto sent = pair[0]->send(bytes, 1, 0);
  pair[1]->wait(pair[1]->recv(bytes, 0, 0), late());
  pair[0]->wait(sent, late());
  EXPECT_THROW(pair[0]->wait(sent, late()), CheckFailure);
}

TEST(NearTransport, TimesOutNamingThePeerWhoKnows) {
  auto pair = make_pair();
  Bytes bytes(4);
  const auto request = pair[0]->recv(bytes, 1, 0);
  EXPECT_THROW(pair[0]->wait(request, soon()), TimeoutError);
  const auto again = message_of([&] { pair[0]->send(bytes, 1, 0); });
  EXPECT_NE(
      again.find("timed out receiving 4 bytes from worker 7"),
      std::string::npos)
      << again;
  const auto other =
      message_of([&] { pair[1]->wait(pair[1]->recv(bytes, 0, 0), late()); });
  EXPECT_NE(other.find("from worker 3: it has closed"), std::string::npos)
      << other;
}

// But what it had sent before is there.
TEST(NearTransport, APeerThatLeavesFailsWhatItOwes) {
  auto pair = make_pair();
  const Bytes bytes = make_bytes(0, 1, 0, 4);
  pair[0]->wait(pair[0]->send(bytes, 1, 5), late());
  std::jthread destroyer([&] {
    std::this_thread::sleep_for(10ms);
    pair[0].reset();
  });
  Bytes got(4);
  const auto pending = pair[1]->recv(got, 0, 6);
  EXPECT_THROW(pair[1]->wait(pending, late()), TransportError);
  auto second = make_pair();
  second[0]->wait(second[0]->send(bytes, 1, 5), late());
  second[0].reset();
  second[1]->wait(second[1]->recv(got, 0, 5), late());
  testing::expect_bytes(got, 0, 1, 0);
}

TEST(NearTransport, DifferentLengthsFail) {
  auto pair = make_pair();
  Bytes four(4);
  Bytes five(5);
  const auto sent = pair[0]->send(four, 1, 0);
  EXPECT_TRUE(pair[0]->test(sent));
  const auto early =
      message_of([&] { pair[1]->wait(pair[1]->recv(five, 0, 0), late()); });
  EXPECT_NE(early.find("4 bytes have come"), std::string::npos) << early;
  EXPECT_THROW(
      pair[0]->wait(pair[0]->recv(four, 1, 0), late()),
      TransportError);
}

TEST(NearTransport, IsInterruptedFromAnyThread) {
  auto pair = make_pair();
  Bytes bytes(4);
  std::jthread other([&] {
    std::this_thread::sleep_for(10ms);
    pair[0]->interrupt();
  });
  EXPECT_THROW(
      pair[0]->wait(pair[0]->recv(bytes, 1, 0), late()),
      TransportError);
  EXPECT_THROW(pair[0]->send(bytes, 1, 0), TransportError);
  EXPECT_THROW(
      pair[1]->wait(pair[1]->recv(bytes, 0, 0), late()),
      TransportError);
}

TEST(NearTransport, WhoSharesNoMemoryStaysFar) {
  for (const auto& [first, second] :
       {std::pair("a", "b"), std::pair("", ""), std::pair("a", "")}) {
    auto local = make_local_transports(2);
    Pair far;
    far.push_back(std::make_unique<Elsewhere>(std::move(local[0]), first));
    far.push_back(std::make_unique<Elsewhere>(std::move(local[1]), second));
    const Transport* before[] = {far[0].get(), far[1].get()};
    auto pair = move_near(std::move(far));
    EXPECT_EQ(pair[0].get(), before[0]);
    EXPECT_EQ(pair[1].get(), before[1]);
    on_threads(2, [&](int rank) { testing::pass_around(*pair[rank]); });
  }
}

TEST(NearTransport, LeavesLargerGroupsAlone) {
  testing::LocalGroupFactory factory({net::move_near()});
  on_threads(3, [&](int rank) {
    const std::atomic<bool> never = false;
    const auto transport =
        factory.connect({"all", {0, 1, 2}, rank}, late(), never);
    testing::pass_around(*transport);
    EXPECT_FALSE(transport->progress());
  });
}

// Random amounts on either side, so that writing and reading meet at every
// place of the ring.
TEST(ByteRing, KeepsTheOrderOfBytes) {
  constexpr size_t kAll = 200000;
  ByteRing::Marks marks{};
  Bytes memory(256);
  ByteRing ring(marks, memory);
  EXPECT_EQ(ring.room(), 256u);
  EXPECT_EQ(ring.waiting(), 0u);
  const Bytes out = make_bytes(0, 1, 0, kAll);
  Bytes in(kAll);
  std::jthread writer([&] {
    for (size_t at = 0; at < kAll;) {
      const size_t most = 1 + at * 7919 % 300;
      at += ring.write(std::span(out).subspan(at, std::min(most, kAll - at)));
    }
  });
  for (size_t at = 0; at < kAll;) {
    const size_t most = 1 + at * 104729 % 300;
    at += ring.read(std::span(in).subspan(at, std::min(most, kAll - at)));
  }
  testing::expect_bytes(in, 0, 1, 0);
}

} // namespace
} // namespace grapevine::net
