// Two workers of one machine, here two threads, that found each other over a
// local transport: what contract_test does not ask of all transports. The same
// in processes is part of edges_process_test.
#include "net/wraps.h"

#include "member/fake_network.h"
#include "net/byte_ring.h"
#include "net/exercise.h"
#include "net/on_threads.h"
#include "net/shared_peers.h"
#include "net/transports.h"

#include <gtest/gtest.h>

#include <barrier>
#include <thread>

namespace grapevine::net {
namespace {

using testing::Bytes;
using testing::make_bytes;
using testing::on_threads;

using namespace std::chrono_literals;

Deadline late() {
  return Deadline::after(100s);
}

// A transport that says which memory it shares.
class Elsewhere : public WrappedTransport {
 public:
  Elsewhere(std::unique_ptr<Transport> inner, std::string domain)
      : WrappedTransport(std::move(inner)),
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

// What is sent needs no worker that receives.
TEST(NearTransport, SendsAtOnce) {
  auto pair = make_pair();
  const Bytes bytes = make_bytes(0, 1, 0, 1000);
  EXPECT_TRUE(pair[0]->test(pair[0]->send(bytes, 1, 0)));
  Bytes got(1000);
  pair[1]->wait(pair[1]->recv(got, 0, 0), late());
  testing::expect_bytes(got, 0, 1, 0);
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
      std::this_thread::yield();
    }
  });
  for (size_t at = 0; at < kAll;) {
    const size_t most = 1 + at * 104729 % 300;
    at += ring.read(std::span(in).subspan(at, std::min(most, kAll - at)));
    std::this_thread::yield();
  }
  testing::expect_bytes(in, 0, 1, 0);
}

// What the other process has written there is not believed.
TEST(ByteRing, RefusesMarksThatCannotBe) {
  ByteRing::Marks marks{};
  Bytes memory(256);
  const ByteRing ring(marks, memory);
  marks.written = 257;
  EXPECT_THROW(ring.waiting(), TransportError);
  EXPECT_THROW(ring.room(), TransportError);
}

TEST(SharedPeers, RefuseAnOfferThatNoWorkerMakes) {
  const auto gather = [](const std::string& mine) {
    return std::vector<std::string>{mine, "hello"};
  };
  EXPECT_THROW(SharedPeers(0, "a machine", 100, gather), TransportError);
}

// All gather what threads say, round by round.
class Round {
 public:
  explicit Round(int n) : texts_(n), barrier_(n) {}
  std::vector<std::string> gather(int rank, const std::string& mine) {
    texts_[rank] = mine;
    barrier_.arrive_and_wait();
    const auto all = texts_;
    barrier_.arrive_and_wait();
    return all;
  }

 private:
  std::vector<std::string> texts_;
  std::barrier<> barrier_;
};

TEST(SharedPeers, ShareIfDomainAndAmountAgree) {
  // Workers 0 and 1 share; 2 has another amount, 3 another domain.
  const std::pair<std::string, size_t> kOwn[] = {
      {"a", 100},
      {"a", 100},
      {"a", 5000},
      {"b", 100}};
  Round round(4);
  on_threads(4, [&](int rank) {
    SharedPeers peers(
        rank,
        kOwn[rank].first,
        kOwn[rank].second,
        [&](const std::string& mine) { return round.gather(rank, mine); });
    for (int peer = 0; peer < 4; ++peer)
      EXPECT_EQ(peers.is_shared(peer), peer != rank && rank + peer == 1);
    EXPECT_EQ(peers.count(), rank < 2 ? 2 : 1);
    if (rank < 2) peers.memory(rank)[0] = std::byte{7};
    round.gather(rank, "");
    if (rank < 2) {
      EXPECT_EQ(peers.memory(1 - rank)[0], std::byte{7});
      EXPECT_EQ(peers.departure(1 - rank), "");
    }
    round.gather(rank, "");
  });
}

} // namespace
} // namespace grapevine::net
