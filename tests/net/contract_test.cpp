// What net/transport.h promises, of every transport that can run on threads:
// the local one, and each wrap around it. The same in processes, over Gloo and
// MPI, is in process/.
#include "base/check.h"
#include "net/exercise.h"
#include "net/on_threads.h"
#include "net/shaped/link_table.h"
#include "net/transports.h"
#include "net/wraps.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <thread>
#include <tuple>

namespace grapevine::net {
namespace {

using testing::Bytes;
using testing::make_bytes;
using testing::on_threads;
using testing::Transports;

using namespace std::chrono_literals;

Deadline soon() {
  return Deadline::after(20ms);
}
Deadline late() {
  return Deadline::after(100s);
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const TransportError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct Case {
  std::string name;
  std::string link; // limited links, if any
  bool packs = false;
  bool is_near = false; // of two workers
  bool counts = false;
  int per_node = 1;
};

void PrintTo(const Case& tested, std::ostream* out) {
  *out << tested.name;
}

const Case kCases[] = {
    {.name = "Local"},
    {.name = "Counted", .counts = true},
    {.name = "Near", .is_near = true},
    {.name = "Packed", .packs = true},
    {.name = "ShapedFast", .link = "100gbit"},
    {.name = "ShapedByNode", .link = "4gbit,50us", .per_node = 2},
    {.name = "ShapedDelay", .link = "unlimited,100us"},
    {.name = "PackedShaped", .link = "4gbit,50us", .packs = true}};

class Group {
 public:
  ~Group() {
    for (const int table : tables_)
      close(table);
  }

  Transports make(const Case& tested, int n) {
    std::vector<Wrap> common;
    if (!tested.link.empty()) {
      tables_.push_back(LinkTable::create(
          {n, std::min(n, tested.per_node), parse_link(tested.link)}));
      common.push_back(shape_links(tables_.back()));
    }
    if (tested.packs) common.push_back(pack_messages());
    if (tested.is_near) common.push_back(move_near());
    Transports transports = make_local_transports(n);
    on_threads(n, [&](int rank) {
      auto wraps = common;
      if (tested.counts) wraps.push_back(count_messages(counts_[rank]));
      transports[rank] = wrap(std::move(transports[rank]), wraps, late());
    });
    return transports;
  }

 private:
  std::vector<int> tables_;
  MessageCounts counts_[8]; // by rank
};

class Contract : public ::testing::TestWithParam<Case> {
 protected:
  Transports make(int n) { return group_.make(GetParam(), n); }

 private:
  Group group_;
};

class Sweep : public ::testing::TestWithParam<std::tuple<Case, int>> {};

TEST_P(Sweep, MovesEveryByte) {
  const auto& [tested, n] = GetParam();
  if (tested.is_near && n != 2) return;
  Group group;
  auto transports = group.make(tested, n);
  on_threads(transports, [packs = tested.packs](Transport& transport) {
    testing::Exercise exercise(transport);
    if (packs) {
      // Below and above what is packed, a piece and more, no whole floats.
      constexpr size_t kLengths[] =
          {0, 1000, kLeastPacked, (1 << 20) + 400, (1 << 20) + 1};
      exercise.run(kLengths);
    } else {
      exercise.run();
      exercise.run_at_most();
    }
  });
}

INSTANTIATE_TEST_SUITE_P(
    Transports,
    Sweep,
    ::testing::Combine(
        ::testing::ValuesIn(kCases),
        ::testing::ValuesIn(testing::kRanks)),
    [](const auto& info) {
      return std::get<0>(info.param).name +
             std::to_string(std::get<1>(info.param));
    });

TEST_P(Contract, KnowsWhoItIs) {
  const auto transports = make(2);
  EXPECT_EQ(transports[1]->rank(), 1);
  EXPECT_EQ(transports[1]->size(), 2);
  EXPECT_EQ(transports[1]->name(), "local");
  EXPECT_EQ(transports[1]->memory_domain().empty(), !GetParam().link.empty());
}

TEST_P(Contract, RefusesMisuseAndGoesOn) {
  auto transports = make(2);
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
}

TEST_P(Contract, TimesOutNamingThePeerAndIsBrokenThen) {
  auto transports = make(2);
  Bytes bytes(4);
  const auto request = transports[0]->recv(bytes, 1, 0);
  try {
    transports[0]->wait(request, soon());
    ADD_FAILURE() << "no time-out";
  } catch (const TimeoutError& error) {
    EXPECT_STREQ(error.what(), "timed out receiving 4 bytes from worker 1");
  }
  const auto again = message_of([&] { transports[0]->send(bytes, 1, 0); });
  EXPECT_TRUE(contains(again, "timed out receiving")) << again;
  EXPECT_THROW(transports[0]->test(request), TransportError);
  const auto other = message_of(
      [&] { transports[1]->wait(transports[1]->recv(bytes, 0, 0), late()); });
  EXPECT_TRUE(contains(other, "from worker 0")) << other;
}

TEST_P(Contract, APeerThatIsDestroyedFailsPendingAndLaterOperations) {
  auto transports = make(2);
  Bytes bytes(4);
  const auto pending = transports[0]->recv(bytes, 1, 0);
  std::jthread destroyer([&] { transports[1].reset(); });
  const auto first = message_of([&] { transports[0]->wait(pending, late()); });
  EXPECT_TRUE(contains(first, "from worker 1")) << first;
  destroyer.join();
  EXPECT_THROW(transports[0]->send(bytes, 1, 0), TransportError);
}

TEST_P(Contract, WhatWasSentBeforeAPeerLeftCounts) {
  if (!GetParam().is_near) return; // those that buffer
  auto transports = make(2);
  const Bytes bytes = make_bytes(0, 1, 0, 4);
  transports[0]->wait(transports[0]->send(bytes, 1, 5), late());
  transports[0].reset();
  Bytes got(4);
  transports[1]->wait(transports[1]->recv(got, 0, 5), late());
  testing::expect_bytes(got, 0, 1, 0);
}

TEST_P(Contract, DifferentLengthsFailTheReceiver) {
  auto transports = make(2);
  Bytes four(4);
  Bytes five(5);
  const auto sent = transports[0]->send(four, 1, 0);
  const auto received = message_of(
      [&] { transports[1]->wait(transports[1]->recv(five, 0, 0), late()); });
  EXPECT_TRUE(contains(received, "receiving 5 bytes from worker 0"))
      << received;
  EXPECT_TRUE(contains(received, "4")) << received;
  EXPECT_THROW(
      {
        transports[0]->wait(sent, late());
        transports[0]->wait(transports[0]->recv(four, 1, 0), late());
      },
      TransportError);
}

TEST_P(Contract, IsInterruptedFromAnyThread) {
  auto transports = make(2);
  Bytes bytes(4);
  const auto pending = transports[0]->recv(bytes, 1, 0);
  std::jthread other([&] { transports[0]->interrupt(); });
  EXPECT_THROW(transports[0]->wait(pending, late()), TransportError);
  other.join();
  EXPECT_THROW(
      {
        const auto later = transports[0]->send(bytes, 1, 0);
        transports[0]->wait(later, late());
      },
      TransportError);
  EXPECT_THROW(
      transports[1]->wait(transports[1]->recv(bytes, 0, 0), late()),
      TransportError);
}

// The bytes may be freed as soon as a transport is gone, so nothing may be in
// progress by then.
TEST_P(Contract, MayBeDestroyedAtAnyTime) {
  const int n = GetParam().is_near ? 2 : 4;
  for (int round = 0; round < 20; ++round) {
    auto transports = make(n);
    std::vector<std::jthread> threads;
    for (auto& transport : transports) {
      threads.emplace_back([&transport, round, n] {
        const int rank = transport->rank();
        const int previous = (rank + n - 1) % n;
        const Bytes out = make_bytes(rank, 0, 0, 100000);
        Bytes in(100000);
        try {
          for (int step = 0; step < round % 5 + rank; ++step) {
            const auto sent = transport->send(out, (rank + 1) % n, 0);
            const auto received = transport->recv(in, previous, 0);
            transport->wait(received, late());
            EXPECT_EQ(in, make_bytes(previous, 0, 0, in.size()));
            transport->wait(sent, late());
          }
        } catch (const TransportError&) {
        }
        transport.reset();
      });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Transports,
    Contract,
    ::testing::ValuesIn(kCases),
    [](const auto& info) { return info.param.name; });

} // namespace
} // namespace grapevine::net
