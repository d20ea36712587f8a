// Limited links over threads: never faster than the line allows, and the
// table's own arithmetic. The sweep of the contract is in contract_test. Times
// are bounded from below only; a busy machine may always be slower.
#include "net/exercise.h"
#include "net/on_threads.h"

#include "member/fake_network.h"
#include "net/shaped/link_table.h"
#include "net/transports.h"
#include "net/wraps.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <thread>

namespace grapevine::net {
namespace {

using testing::Bytes;
using testing::LocalGroupFactory;
using testing::on_threads;
using testing::Transports;

Deadline late() {
  return Deadline::after(std::chrono::seconds(100));
}

// A table for the life of a test.
class Table {
 public:
  Table(int workers, const std::string& link, int per_node = 1)
      : descriptor_(LinkTable::create({workers, per_node, parse_link(link)})) {}
  ~Table() { close(descriptor_); }
  int descriptor() const { return descriptor_; }

  Transports transports() const {
    LinkTable table(descriptor_);
    Transports list = make_local_transports(table.workers());
    for (auto& transport : list)
      transport =
          wrap(std::move(transport), {shape_links(descriptor_)}, late());
    return list;
  }

 private:
  int descriptor_;
};

TEST(ShapedTransport, IsNeverFasterThanTheLine) {
  constexpr int64_t kBytes = 1'000'000;
  const Table table(3, "400mbit,5ms", 2); // nodes {0, 1} and {2}
  auto transports = table.transports();
  const double line = parse_link("400mbit").seconds(kBytes); // 21 ms
  on_threads(transports, [&](Transport& transport) {
    Bytes bytes(kBytes);
    const double begin = monotonic_seconds();
    const auto seconds = [&] { return monotonic_seconds() - begin; };
    if (transport.rank() < 2) {
      transport.wait(transport.send(bytes, 2, 0), late());
      EXPECT_GE(seconds(), line);
      return;
    }
    Bytes other(kBytes);
    const auto first = transport.recv(bytes, 0, 0);
    const auto second = transport.recv(other, 1, 0);
    transport.wait(first, late());
    transport.wait(second, late());
    // Both workers of a node share its way out, and both end in one way in.
    EXPECT_GE(seconds(), 2 * line + 5e-3);
  });
}

TEST(ShapedTransport, ALinkOfItsOwnIsNeverFasterThanItsWords) {
  constexpr int64_t kBytes = 500'000;
  for (const char* all : {"100gbit", "unlimited,1ms"}) {
    const Table table(3, std::string(all) + ";1-2:100mbit,20ms");
    auto transports = table.transports();
    const double line = parse_link("100mbit").seconds(kBytes); // 42 ms
    on_threads(transports, [&](Transport& transport) {
      // Each to both others, both ways at once.
      std::vector<Bytes> in(3, Bytes(kBytes));
      const Bytes out(kBytes);
      const double begin = monotonic_seconds();
      std::vector<Request> sends;
      std::vector<std::pair<int, Request>> receives;
      for (int peer = 0; peer < 3; ++peer) {
        if (peer == transport.rank()) continue;
        receives.emplace_back(peer, transport.recv(in[peer], peer, 0));
        sends.push_back(transport.send(out, peer, 0));
      }
      for (const auto& [peer, request] : receives) {
        transport.wait(request, late());
        if (peer == 0 || transport.rank() == 0) continue;
        EXPECT_GE(monotonic_seconds() - begin, line + 20e-3);
      }
      for (const Request request : sends)
        transport.wait(request, late());
    });
  }
}

TEST(ShapedTransport, IsFreeInsideANode) {
  // At this rate a byte takes 8 s.
  const Table table(2, "1bit", 2);
  auto transports = table.transports();
  on_threads(transports, [&](Transport& transport) {
    Bytes out(1000);
    Bytes in(1000);
    const int peer = 1 - transport.rank();
    const auto sent = transport.send(out, peer, 0);
    transport.wait(transport.recv(in, peer, 0), late());
    transport.wait(sent, late());
  });
}

TEST(ShapedTransport, TimesOutNamingThePeerAndTellsTheOthers) {
  const Table table(2, "1bit");
  auto transports = table.transports();
  Bytes out(1000);
  Bytes in(1000);
  const auto sent = transports[0]->send(out, 1, 0);
  const auto received = transports[1]->recv(in, 0, 0);
  try {
    transports[1]->wait(
        received,
        Deadline::after(std::chrono::milliseconds(20)));
    FAIL();
  } catch (const TimeoutError& error) {
    EXPECT_STREQ(error.what(), "timed out receiving 1000 bytes from worker 0");
  }
  EXPECT_THROW(transports[1]->send(out, 0, 0), TransportError);
  EXPECT_THROW(transports[1]->test(received), TransportError);
  // The bytes had come over the wrapped transport, but nothing more will.
  EXPECT_THROW(
      transports[0]->wait(transports[0]->recv(in, 1, 0), late()),
      TransportError);
  EXPECT_THROW(transports[0]->wait(sent, late()), TransportError);
}

TEST(ShapedTransport, RefusesATableOfAnotherSize) {
  const Table table(2, "1gbit");
  EXPECT_THROW(
      wrap(
          std::move(make_local_transports(3)[0]),
          {shape_links(table.descriptor())},
          late()),
      ConfigError);
}

// More messages on their way than the log has room for.
TEST(ShapedTransport, TakesMoreMessagesThanTheLogHolds) {
  constexpr int kMessages = 3 * LinkTable::kLogLength;
  const Table table(2, "10gbit");
  auto transports = table.transports();
  on_threads(transports, [&](Transport& transport) {
    std::vector<Bytes> buffers(kMessages, Bytes(100));
    std::vector<Request> requests;
    for (Bytes& buffer : buffers) {
      requests.push_back(
          transport.rank() == 0 ? transport.send(buffer, 1, 3)
                                : transport.recv(buffer, 0, 3));
    }
    for (const Request request : requests)
      transport.wait(request, late());
  });
}

TEST(LinkTable, FinishesMessagesAtTheRateOfTheLine) {
  const Table made(3, "80mbit");
  LinkTable table(made.descriptor());
  const double rate = 10e6 * kPayloadShare;
  double begin = 0;
  {
    LinkTable::Session session(table);
    begin = session.now();
    for (const int to : {1, 2}) {
      session.want(0, to, 3000);
      EXPECT_EQ(session.append(0, to, 7, 1000), 0);
      EXPECT_EQ(session.append(0, to, 7, 2000), 1);
    }
    // The two share the way out.
    EXPECT_NEAR(
        session.earliest_finish(0, 1, 3000),
        begin + 2 * 3000 / rate,
        1e-9);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  LinkTable::Session session(table);
  for (const int to : {1, 2}) {
    EXPECT_EQ(session.appended(0, to), 2);
    EXPECT_EQ(session.entry(0, to, 0).tag, 7);
    EXPECT_NEAR(session.entry(0, to, 0).finish - begin, 2000 / rate, 1e-9);
    EXPECT_NEAR(session.entry(0, to, 1).finish - begin, 6000 / rate, 1e-9);
  }
}

TEST(LinkTable, AMessageWaitsForItsReceive) {
  const Table made(2, "80mbit");
  LinkTable table(made.descriptor());
  {
    LinkTable::Session session(table);
    session.append(0, 1, 0, 1000);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  double wanted_at = 0;
  {
    LinkTable::Session session(table);
    EXPECT_LT(session.entry(0, 1, 0).finish, 0);
    session.want(0, 1, 1000);
    wanted_at = session.now();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  LinkTable::Session session(table);
  EXPECT_NEAR(
      session.entry(0, 1, 0).finish,
      wanted_at + 1000 / (10e6 * kPayloadShare),
      1e-9);
}

TEST(LinkTable, SurvivesAProcessThatDiesHoldingItsLock) {
  const Table made(2, "1gbit");
  LinkTable table(made.descriptor());
  const pid_t child = fork();
  if (child == 0) {
    LinkTable mine(made.descriptor());
    LinkTable::Session session(mine);
    session.append(0, 1, 0, 1000);
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  for (int turn = 0; turn < 2; ++turn) {
    LinkTable::Session session(table);
    session.want(0, 1, 500);
    EXPECT_EQ(session.appended(0, 1), 1);
  }
}

TEST(LinkTable, RefusesWhatIsNone) {
  EXPECT_THROW(LinkTable(0), ConfigError);
  EXPECT_THROW(LinkTable(9999), ConfigError);
  EXPECT_THROW(
      LinkTable::create({.workers = LinkTable::kMostWorkers + 1}),
      ConfigError);
}

// Limited links that are made again while the run goes on.
class ShapedEdges : public ::testing::Test {
 protected:
  ~ShapedEdges() override { close(table_); }

  // All members of a group, which meet as threads do.
  Transports meet(const std::string& name, const std::vector<int>& workers) {
    Transports members(workers.size());
    on_threads(static_cast<int>(workers.size()), [&](int i) {
      const std::atomic<bool> never = false;
      members[i] = factory_->connect({name, workers, i}, late(), never);
    });
    return members;
  }

  static void exercise(Transports& members) {
    on_threads(members, [](Transport& member) {
      testing::pass_around(member);
    });
  }

  int table_ = LinkTable::create(
      {.workers = 6, .workers_per_node = 1, .link = parse_link("4gbit,50us")});
  std::shared_ptr<GroupFactory> factory_ =
      std::make_shared<LocalGroupFactory>(std::vector{shape_links(table_)});
};

TEST_F(ShapedEdges, SomeOfTheRunTalk) {
  auto pair = meet("a", {1, 4});
  exercise(pair);
  auto three = meet("b", {0, 3, 5});
  exercise(three);
  exercise(pair); // untouched
}

// What the former link left in the table does not hold up the next.
TEST_F(ShapedEdges, ALinkIsMadeAnew) {
  for (int life = 0; life < 3; ++life) {
    auto pair = meet("life " + std::to_string(life), {2, 5});
    exercise(pair);
    Bytes bytes(1000);
    pair[0]->send(bytes, 1, 1);
    pair[1]->recv(bytes, 0, 2);
    pair[1]->send(bytes, 0, 3);
  }
}

// Whoever still holds the former link cannot disturb the next.
TEST_F(ShapedEdges, TheFormerLinkFails) {
  auto former = meet("a", {2, 5});
  auto next = meet("b", {2, 5});
  Bytes bytes(10);
  for (auto& transport : former) {
    try {
      transport->send(bytes, 1 - transport->rank(), 1);
      FAIL();
    } catch (const TransportError& error) {
      EXPECT_NE(
          std::string(error.what()).find("has been made anew"),
          std::string::npos)
          << error.what();
    }
  }
  exercise(next);
}

} // namespace
} // namespace grapevine::net
