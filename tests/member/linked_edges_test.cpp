// Edges that are made one by one, in threads over a store in memory.
#include "member/linked_edges.h"

#include "base/check.h"
#include "member/fake_network.h"
#include "net/exercise.h"
#include "net/on_threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <iterator>
#include <thread>

namespace grapevine::member {
namespace {

using namespace net;

using testing::Bytes;
using testing::expect_bytes;
using testing::LocalGroupFactory;
using testing::make_bytes;
using testing::MemoryStore;
using testing::on_threads;

using namespace std::chrono_literals;

Deadline late() {
  return Deadline::after(100s);
}

std::vector<int> all_but(int rank, int n) {
  std::vector<int> others;
  for (int other = 0; other < n; ++other) {
    if (other != rank) others.push_back(other);
  }
  return others;
}

class LinkedEdgesTest : public ::testing::TestWithParam<int> {
 protected:
  std::unique_ptr<Edges> make(int rank, int n) {
    return make_linked_edges(
        store_,
        factory_,
        {.name = "fake",
         .rank = rank,
         .size = n,
         .neighbours = all_but(rank, n),
         .connect_seconds = 60s});
  }

  // As if nobody had been there.
  void begin_anew() {
    store_ = std::make_shared<MemoryStore>();
    factory_ = std::make_shared<LocalGroupFactory>();
  }

  // Worker 2 came to the first round, and was gone before it was connected.
  void let_worker_2_come_and_die() {
    store_->set("gather/0/come/2", "1");
    store_->add("gather/0/count", 1);
    store_->add("life/2", 1);
  }

  // Gathers, expects these to have come, and talks to them.
  static void expect_gathering(
      Edges& edges,
      const std::vector<int>& members,
      Deadline deadline = late()) {
    const auto gathering = edges.gather(deadline);
    EXPECT_EQ(gathering.members, members);
    EXPECT_EQ(gathering.members[gathering.transport->rank()], edges.rank());
    testing::pass_around(*gathering.transport);
  }

  std::shared_ptr<MemoryStore> store_ = std::make_shared<MemoryStore>();
  std::shared_ptr<LocalGroupFactory> factory_ =
      std::make_shared<LocalGroupFactory>();
};

// Looks at each change of some edges once.
class Watcher {
 public:
  explicit Watcher(Edges& edges) : edges_(edges) {}

  // Until there is one of this kind for the rank; those before it are passed
  // over, those behind it are for the next call.
  EdgeChange await(int rank, bool linked) {
    const auto deadline = late();
    while (!deadline.passed()) {
      while (!news_.empty()) {
        const EdgeChange change = news_.front();
        news_.pop_front();
        if (change.rank == rank && change.linked == linked) return change;
      }
      std::this_thread::sleep_for(1ms);
      std::ranges::copy(edges_.changes(), std::back_inserter(news_));
    }
    ADD_FAILURE() << edges_.rank() << ": no change for " << rank;
    return {};
  }

 private:
  Edges& edges_;
  std::deque<EdgeChange> news_;
};

EdgeChange await_change(Edges& edges, int rank, bool linked) {
  return Watcher(edges).await(rank, linked);
}

void await_all(Edges& edges, int n) {
  int linked = 0;
  const auto deadline = late();
  while (linked < n - 1 && !deadline.passed()) {
    for (const EdgeChange& change : edges.changes())
      linked += change.linked ? 1 : -1;
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(linked, n - 1);
}

void talk(Edges& edges, int neighbour, int message) {
  const Edge edge = edges.edge(neighbour);
  ASSERT_TRUE(edge.linked());
  const Bytes out = make_bytes(edges.rank(), neighbour, message, 1000);
  Bytes in(1000);
  const Request sent = edge.transport->send(out, edge.peer, 3);
  const Request received = edge.transport->recv(in, edge.peer, 3);
  edge.transport->wait(received, late());
  edge.transport->wait(sent, late());
  expect_bytes(in, neighbour, edges.rank(), message);
}

TEST_P(LinkedEdgesTest, LinkTalkAndGather) {
  const int n = GetParam();
  on_threads(n, [&](int rank) {
    const auto edges = make(rank, n);
    EXPECT_TRUE(edges->survives_loss());
    await_all(*edges, n);
    // Pairs in an order that all know.
    for (int a = 0; a < n; ++a) {
      for (int b = a + 1; b < n; ++b) {
        if (rank == a) talk(*edges, b, a * n + b);
        if (rank == b) talk(*edges, a, a * n + b);
      }
    }
    expect_gathering(*edges, all_but(-1, n));
  });
}

INSTANTIATE_TEST_SUITE_P(
    Ranks,
    LinkedEdgesTest,
    ::testing::Values(1, 2, 3, 4, 7));

using LinkedEdges = LinkedEdgesTest;

TEST_F(LinkedEdges, ALostEdgeIsMadeAgainAndTheOthersGoOn) {
  for (const auto& [loser, other] : {std::pair(0, 1), std::pair(1, 0)}) {
    std::unique_ptr<Edges> edges[3] = {make(0, 3), make(1, 3), make(2, 3)};
    for (auto& each : edges)
      await_all(*each, 3);
    Transport* untouched = edges[loser]->edge(2).transport;
    edges[loser]->lose(other, "test");
    EXPECT_FALSE(edges[loser]->edge(other).linked());
    // The other is told of it, then both of the new link.
    Watcher others(*edges[other]);
    EXPECT_EQ(others.await(loser, false).why, "it has closed the link");
    others.await(loser, true);
    await_change(*edges[loser], other, true);
    std::jthread peer([&] { talk(*edges[other], loser, 1); });
    talk(*edges[loser], other, 1);
    EXPECT_EQ(edges[loser]->edge(2).transport, untouched);
    EXPECT_TRUE(edges[2]->changes().empty());
    begin_anew();
  }
}

TEST_F(LinkedEdges, AWorkerThatReturnsIsLinkedAgain) {
  for (const int victim : {0, 2}) {
    begin_anew();
    std::unique_ptr<Edges> edges[3] = {make(0, 3), make(1, 3), make(2, 3)};
    for (auto& each : edges)
      await_all(*each, 3);
    edges[victim].reset();
    edges[victim] = make(victim, 3);
    Watcher watcher(*edges[1]);
    EXPECT_EQ(watcher.await(victim, false).why, "a new life of it has come");
    EXPECT_EQ(watcher.await(victim, true).why, "life 2");
    await_all(*edges[victim], 3);
    std::jthread peer([&] { talk(*edges[1], victim, 1); });
    talk(*edges[victim], 1, 1);
  }
}

// A process that was thought dead, stopped say, and goes on after its
// successor has come, steps aside.
TEST_F(LinkedEdges, AFormerLifeStepsAside) {
  const auto first = make(0, 2);
  const auto other = make(1, 2);
  await_all(*first, 2);
  await_all(*other, 2);
  const auto second = make(0, 2);
  EXPECT_EQ(
      await_change(*first, 1, false).why,
      "a newer life of this worker has come");
  await_change(*other, 0, true);
  await_change(*second, 1, true);
  EXPECT_FALSE(first->edge(1).linked());
}

TEST_F(LinkedEdges, TheLaunchersWordIsHeard) {
  const auto here = make(0, 2);
  const auto there = make(1, 2);
  await_all(*here, 2);
  EXPECT_EQ(here->ended(), std::vector<int>{});
  store_->set(lost_key(1), "worker 1 was killed by signal 9");
  store_->add(kLostCountKey, 1);
  store_->add(kNewsKey, 1);
  EXPECT_EQ(
      await_change(*here, 1, false).why,
      "worker 1 was killed by signal 9");
  const auto deadline = late();
  while (here->ended().empty() && !deadline.passed())
    std::this_thread::sleep_for(1ms);
  EXPECT_EQ(here->ended(), std::vector<int>{1});
  // Nor is it waited for.
  EXPECT_EQ(here->gather(late()).members, std::vector<int>{0});
}

TEST_F(LinkedEdges, AStoreOutOfReachStopsNobody) {
  const auto here = make(0, 2);
  auto there = make(1, 2);
  await_all(*here, 2);
  await_all(*there, 2);
  store_->set_reachable(false);
  std::this_thread::sleep_for(500ms);
  {
    std::jthread peer([&] { talk(*there, 0, 1); });
    talk(*here, 1, 1);
  }
  EXPECT_TRUE(here->changes().empty());
  store_->set_reachable(true);
  there = make(1, 2);
  await_change(*here, 1, true);
}

TEST_F(LinkedEdges, GatherLeavesOutWhoDoesNotCome) {
  for (const int missing : {0, 2}) {
    begin_anew();
    on_threads(4, [&](int rank) {
      const auto edges = make(rank, 4);
      if (rank == missing) return;
      expect_gathering(*edges, all_but(missing, 4), Deadline::after(3s));
    });
    EXPECT_THROW(make(missing, 4)->gather(Deadline::after(1s)), TransportError);
  }
}

// One comes, and is gone before it can be connected.
TEST_F(LinkedEdges, ADeathDuringTheGatheringCostsARound) {
  let_worker_2_come_and_die();
  on_threads(4, [&](int rank) {
    if (rank == 2) return;
    const auto edges = make(rank, 4);
    expect_gathering(*edges, all_but(2, 4), Deadline::after(3s));
  });
}

// Its next life may come to the next round, though the first was not its own,
// and nobody waits for the one that is over.
TEST_F(LinkedEdges, WhoReturnsDuringTheGatheringIsTakenIn) {
  let_worker_2_come_and_die();
  on_threads(3, [&](int rank) {
    if (rank == 2) {
      while (!store_->get("gather/0/list"))
        std::this_thread::sleep_for(1ms);
    }
    const auto edges = make(rank, 3);
    expect_gathering(*edges, {0, 1, 2});
  });
}

// It dies after all have gathered, more often than they would gather for no
// such reason, and the others gather again: its next life is there. Once they
// are done, whoever comes is told so at once.
TEST_F(LinkedEdges, WhoReturnsAfterTheGatheringComesToTheNext) {
  on_threads(3, [&](int rank) {
    auto edges = make(rank, 3);
    for (int death = 0; death < 8; ++death) {
      const auto gathering = edges->gather(late());
      EXPECT_EQ(gathering.members.size(), 3u);
      if (rank == 2) edges = make(rank, 3);
    }
    expect_gathering(*edges, {0, 1, 2});
    edges->conclude();
  });
  EXPECT_THROW(make(2, 3)->gather(late()), TransportError);
}

TEST_F(LinkedEdges, MayGatherAgain) {
  on_threads(3, [&](int rank) {
    const auto edges = make(rank, 3);
    expect_gathering(*edges, {0, 1, 2});
    if (rank == 0) return;
    expect_gathering(*edges, {1, 2}, Deadline::after(3s));
  });
}

// One finds that what they had gathered for is done, the others that it has
// failed: they do not wait for it, nor begin again without it.
TEST_F(LinkedEdges, WhoGathersAgainIsToldThatAllIsDone) {
  on_threads(3, [&](int rank) {
    const auto edges = make(rank, 3);
    edges->gather(late());
    if (rank != 0) {
      EXPECT_THROW(edges->gather(late()), TransportError);
      EXPECT_EQ(edges->conclude(), false);
      EXPECT_TRUE(edges->is_concluded());
      return;
    }
    while (store_->add(come_count_key(1), 0) < 2)
      std::this_thread::sleep_for(1ms);
    EXPECT_FALSE(edges->is_concluded());
    EXPECT_EQ(edges->conclude(), true);
    EXPECT_EQ(edges->conclude(), true);       // still the first
    EXPECT_EQ(make(0, 3)->conclude(), false); // that was another life
  });
}

// One that nobody can tell of the end is waited for while it goes on.
TEST_F(LinkedEdges, GatherWaitsForWhoGoesOn) {
  on_threads(3, [&](int rank) {
    const auto edges = make(rank, 3);
    const auto window = std::chrono::seconds(4);
    if (rank == 2) {
      for (int i = 1; i < 100; ++i) {
        edges->show_progress(i);
        std::this_thread::sleep_for(100ms);
      }
    }
    const auto gathering = edges->gather(Deadline::after(window));
    EXPECT_EQ(gathering.members.size(), 3u);
  });
}

// It comes to every round, and nobody can be connected with it: the others end
// without it, and it is told so.
TEST_F(LinkedEdges, GatherLeavesOutWhoIsCutOff) {
  for (const int cut_off : {0, 2}) {
    begin_anew();
    factory_->cut(cut_off);
    on_threads(4, [&](int rank) {
      const auto edges = make(rank, 4);
      if (rank == cut_off) {
        EXPECT_THROW(edges->gather(late()), TransportError);
        return;
      }
      expect_gathering(*edges, all_but(cut_off, 4));
      edges->conclude();
    });
  }
}

// Counts the tries to connect all four workers, and fails the first of each
// worker to be connected with the two others that are not cut off.
class BusyGroupFactory : public LocalGroupFactory {
 public:
  std::unique_ptr<Transport> connect_directly(
      const GroupSpec& group,
      Deadline deadline,
      const std::atomic<bool>& cancelled) override {
    if (group.workers.size() == 4) ++wholes;
    if (group.workers.size() == 3 && tries_[group.self]++ == 0) {
      throw TransportError("busy");
    }
    return LocalGroupFactory::connect_directly(group, deadline, cancelled);
  }

  std::atomic<int> wholes = 0;

 private:
  std::atomic<int> tries_[3] = {};
};

// It comes to the round after one that it was left out of and that has failed;
// nobody has tried it again meanwhile.
TEST_F(LinkedEdges, WhoIsCutOffStaysLeftOut) {
  const auto busy = std::make_shared<BusyGroupFactory>();
  busy->cut(2);
  factory_ = busy;
  on_threads(4, [&](int rank) {
    const auto edges = make(rank, 4);
    if (rank == 2) {
      EXPECT_THROW(edges->gather(late()), TransportError);
      return;
    }
    expect_gathering(*edges, all_but(2, 4));
    edges->conclude();
  });
  EXPECT_EQ(busy->wholes, 4);
}

TEST_F(LinkedEdges, AStrangerIsABug) {
  const auto edges = make(0, 3);
  EXPECT_THROW(edges->edge(3), CheckFailure);
  EXPECT_THROW(edges->lose(0, ""), CheckFailure);
}

} // namespace
} // namespace grapevine::member
