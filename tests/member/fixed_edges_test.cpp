// Edges over one transport of all workers, in threads.
#include "base/check.h"
#include "member/edges.h"
#include "net/exercise.h"
#include "net/on_threads.h"
#include "net/transports.h"

#include <gtest/gtest.h>

#include <numeric>

namespace grapevine::member {
namespace {

using namespace net;

using testing::Bytes;
using testing::expect_bytes;
using testing::make_bytes;
using testing::on_threads;

using AllEdges = std::vector<std::unique_ptr<Edges>>;

Deadline late() {
  return Deadline::after(std::chrono::seconds(100));
}

std::vector<int> ring_neighbours(int rank, int n) {
  std::vector<int> neighbours = {(rank + 1) % n};
  if (n > 2) neighbours.push_back((rank + n - 1) % n);
  return neighbours;
}

AllEdges make_ring(int n) {
  AllEdges edges;
  auto transports = make_local_transports(n);
  for (int rank = 0; rank < n; ++rank) {
    edges.push_back(make_fixed_edges(
        std::move(transports[rank]),
        ring_neighbours(rank, n)));
  }
  return edges;
}

// Exchanges a message with all of these at once.
void talk(Edges& edges, const std::vector<int>& neighbours, int message) {
  std::vector<Bytes> out;
  std::vector<Bytes> in(neighbours.size(), Bytes(1000));
  std::vector<std::pair<Transport*, Request>> requests;
  for (const int neighbour : neighbours)
    out.push_back(make_bytes(edges.rank(), neighbour, message, 1000));
  for (size_t i = 0; i < neighbours.size(); ++i) {
    const auto [transport, peer] = edges.edge(neighbours[i]);
    requests.emplace_back(transport, transport->recv(in[i], peer, 3));
    requests.emplace_back(transport, transport->send(out[i], peer, 3));
  }
  for (const auto& [transport, request] : requests)
    transport->wait(request, late());
  for (size_t i = 0; i < neighbours.size(); ++i)
    expect_bytes(in[i], neighbours[i], edges.rank(), message);
}

class FixedEdgesSweep : public ::testing::TestWithParam<int> {};

TEST_P(FixedEdgesSweep, NeighboursTalkAndThenGather) {
  const int n = GetParam();
  auto all = make_ring(n);
  on_threads(all, [n](Edges& edges) {
    const auto neighbours = ring_neighbours(edges.rank(), n);
    const auto changes = edges.changes();
    ASSERT_EQ(changes.size(), neighbours.size());
    for (const EdgeChange& change : changes)
      EXPECT_TRUE(change.linked);
    EXPECT_TRUE(edges.changes().empty());
    for (int message = 0; message < 20; ++message)
      talk(edges, neighbours, message);
    const Gathering gathering = edges.gather(late());
    std::vector<int> everybody(n);
    std::iota(everybody.begin(), everybody.end(), 0);
    EXPECT_EQ(gathering.members, everybody);
    EXPECT_EQ(gathering.transport->rank(), edges.rank());
    testing::pass_around(*gathering.transport);
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, FixedEdgesSweep, ::testing::Values(2, 3, 4, 7));

TEST(FixedEdges, KnowWhoTheyAre) {
  auto all = make_ring(3);
  EXPECT_EQ(all[2]->rank(), 2);
  EXPECT_EQ(all[2]->size(), 3);
  EXPECT_EQ(all[2]->name(), "local");
  EXPECT_FALSE(all[2]->survives_loss());
}

TEST(FixedEdges, ToLoseOneIsToLoseAll) {
  auto all = make_ring(4);
  all[0]->changes();
  Bytes bytes(10);
  const Edge kept = all[0]->edge(3);
  kept.transport->recv(bytes, kept.peer, 0);
  all[0]->lose(1, "no answer");
  EXPECT_FALSE(all[0]->edge(1).linked());
  EXPECT_FALSE(all[0]->edge(3).linked());
  const auto changes = all[0]->changes();
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].rank, 3);
  EXPECT_FALSE(changes[0].linked);
  EXPECT_EQ(changes[0].why, "lost with worker 1: no answer");
  EXPECT_THROW(all[0]->gather(late()), TransportError);
  // The peers fail too, those that still held the transport included.
  EXPECT_THROW(talk(*all[1], {0}, 0), TransportError);
  const Request late_one = kept.transport->recv(bytes, kept.peer, 1);
  EXPECT_THROW(kept.transport->wait(late_one, late()), TransportError);
}

TEST(FixedEdges, AStrangerIsABug) {
  auto all = make_ring(4);
  EXPECT_THROW(all[0]->edge(2), CheckFailure);
  EXPECT_THROW(all[0]->lose(2, ""), CheckFailure);
  auto transports = make_local_transports(2);
  EXPECT_THROW(make_fixed_edges(std::move(transports[0]), {0}), CheckFailure);
}

} // namespace
} // namespace grapevine::member
