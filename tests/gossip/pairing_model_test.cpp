// Every order in which words can arrive, averagings end and neighbours be
// chosen, on small graphs: nobody is left waiting for an answer, no two
// neighbours are left in want of each other (unless they have more neighbours
// than they ask in a row; then a reminder brings them on), and nothing goes on
// for ever.
#include "gossip/pairing.h"

#include "base/error.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

namespace grapevine::gossip {
namespace {

using Graph = std::vector<std::vector<int>>;

// The state of all workers and of all channels between them.
struct World {
  std::vector<Pairing::State> workers;
  // By (from, to), the oldest word first.
  std::map<std::pair<int, int>, std::vector<PairingKind>> channels;
  std::set<int> averaged; // its averaging is over, but it does not know yet
  std::set<int> stopping; // not yet told to stop

  auto operator<=>(const World&) const = default;
};

class Explorer {
 public:
  Explorer(Graph graph, int wants, bool stops) : graph_(std::move(graph)) {
    World world;
    for (size_t i = 0; i < graph_.size(); ++i) {
      world.workers.push_back({.wanted = wants});
      if (stops) world.stopping.insert(static_cast<int>(i));
    }
    // Everybody begins to ask, in every combination of choices.
    std::vector<World> begun = {world};
    for (size_t i = 0; i < graph_.size(); ++i) {
      std::vector<World> next;
      for (const World& before : begun) {
        for (World& after : outcomes(
                 before,
                 static_cast<int>(i),
                 [](Pairing&pairing, auto&say) { pairing.want(0, say); })) {
          next.push_back(std::move(after));
        }
      }
      begun = std::move(next);
    }
    for (const World& start : begun)
      explore(start);
  }

  size_t states() const { return seen_.size(); }

 private:
  enum class Mark { kOpen, kDone };

  // What a call of a worker's Pairing leads to, for each neighbour that it may
  // choose to ask: chance has an address, so other addresses choose others.
  template <typename Call>
  std::vector<World> outcomes(const World& world, int worker, Call&& call) {
    std::set<World> results;
    constexpr uint64_t kAddresses = 12;
    for (uint64_t address = 0; address < kAddresses; ++address) {
      World next = world;
      Pairing pairing(worker, graph_[worker], 7);
      Pairing::State state = world.workers[worker];
      state.draws = address;
      pairing.restore(state);
      std::vector<PairingMessage> say;
      call(pairing, say);
      next.workers[worker] = pairing.state();
      next.workers[worker].draws = 0;
      for (const PairingMessage& saying : say)
        next.channels[{worker, saying.peer}].push_back(saying.word);
      results.insert(std::move(next));
    }
    return {results.begin(), results.end()};
  }

  std::vector<World> successors(const World& world) {
    std::vector<World> all;
    const auto add = [&](std::vector<World> more) {
      for (World& next : more)
        all.push_back(std::move(next));
    };
    for (const auto& [ends, words] : world.channels) {
      World delivered = world;
      auto& channel = delivered.channels.at(ends);
      const PairingKind word = channel.front();
      channel.erase(channel.begin());
      if (channel.empty()) delivered.channels.erase(ends);
      const int from = ends.first;
      add(outcomes(delivered, ends.second, [&](Pairing& pairing, auto& say) {
        pairing.hear(from, word, say);
      }));
    }
    for (size_t i = 0; i < graph_.size(); ++i) {
      const int worker = static_cast<int>(i);
      const auto partner = world.workers[i].partner;
      if (!partner) continue;
      if (world.averaged.contains(worker)) {
        World over = world;
        over.averaged.erase(worker);
        add(outcomes(over, worker, [](Pairing& pairing, auto& say) {
          pairing.finish(say);
        }));
      } else if (
          worker < *partner && world.workers[*partner].partner == worker) {
        World over = world;
        over.averaged.insert(worker);
        over.averaged.insert(*partner);
        all.push_back(std::move(over));
      }
    }
    for (const int worker : world.stopping) {
      World told = world;
      told.stopping.erase(worker);
      add(outcomes(told, worker, [](Pairing& pairing, auto& say) {
        pairing.stop(say);
      }));
    }
    return all;
  }

  // Of those who have given up for now; nothing where that changes nothing.
  std::vector<World> reminders(const World& world) {
    std::vector<World> all;
    for (size_t i = 0; i < graph_.size(); ++i) {
      if (graph_[i].size() <= Pairing::kMostRefusals) continue;
      for (World& next :
           outcomes(world, static_cast<int>(i), [](Pairing&pairing, auto&say) {
             pairing.want(0, say);
           })) {
        if (!next.channels.empty()) all.push_back(std::move(next));
      }
    }
    return all;
  }

  // Depth first with an explicit stack; an open state that is met again is a
  // circle.
  void explore(const World& start) {
    struct Frame {
      const World* world;
      std::vector<World> left;
    };
    std::vector<Frame> stack;
    const auto open = [&](const World& world) {
      const auto [at, is_new] = seen_.emplace(world, Mark::kOpen);
      if (!is_new) {
        ASSERT_NE(at->second, Mark::kOpen) << "they go around in circles";
        return;
      }
      std::vector<World> next = successors(world);
      if (next.empty()) next = reminders(world);
      if (next.empty()) check_end(world);
      stack.push_back({&at->first, std::move(next)});
    };
    open(start);
    while (!stack.empty() && !testing::Test::HasFailure()) {
      Frame& top = stack.back();
      if (top.left.empty()) {
        seen_.at(*top.world) = Mark::kDone;
        stack.pop_back();
        continue;
      }
      const World next = std::move(top.left.back());
      top.left.pop_back();
      open(next);
    }
  }

  void check_end(const World& world) {
    for (size_t i = 0; i < graph_.size(); ++i) {
      const auto& state = world.workers[i];
      EXPECT_FALSE(state.asked) << "waits for an answer for ever";
      EXPECT_TRUE(state.kept.empty()) << "keeps somebody waiting for ever";
      EXPECT_FALSE(state.partner);
      for (const int j : graph_[i]) {
        const auto& other = world.workers[j];
        EXPECT_FALSE(
            state.wanted > 0 && other.wanted > 0 && !state.stopped &&
            !other.stopped)
            << i << " and " << j << " wait for each other";
      }
    }
  }

  Graph graph_;
  std::map<World, Mark> seen_;
};

Graph ring(int n) {
  Graph graph(n);
  for (int i = 0; i < n; ++i)
    graph[i] = {(i + n - 1) % n, (i + 1) % n};
  return graph;
}

Graph complete(int n) {
  Graph graph(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (j != i) graph[i].push_back(j);
    }
  }
  return graph;
}

TEST(PairingModel, TwoWorkers) {
  Explorer explorer({{1}, {0}}, 3, false);
  EXPECT_GT(explorer.states(), 10U);
}

TEST(PairingModel, ThreeInACircle) {
  Explorer explorer(complete(3), 2, false);
  EXPECT_GT(explorer.states(), 100U);
}

TEST(PairingModel, FourInARow) {
  Explorer explorer({{1}, {0, 2}, {1, 3}, {2}}, 1, false);
  EXPECT_GT(explorer.states(), 100U);
}

TEST(PairingModel, RingOfFour) {
  Explorer explorer(ring(4), 1, false);
  EXPECT_GT(explorer.states(), 100U);
}

TEST(PairingModel, CompleteOfFour) {
  Explorer explorer(complete(4), 1, false);
  EXPECT_GT(explorer.states(), 100U);
}

TEST(PairingModel, StarOfFour) {
  Explorer explorer({{1, 2, 3}, {0}, {0}, {0}}, 2, false);
  EXPECT_GT(explorer.states(), 100U);
}

TEST(PairingModel, ThreeThatStopAtAnyTime) {
  Explorer explorer(complete(3), 1, true);
  EXPECT_GT(explorer.states(), 100U);
}

TEST(Pairing, RefusesAnAnswerToWhatWasNotAsked) {
  Pairing pairing(0, {1, 2}, 7);
  std::vector<PairingMessage> say;
  for (const auto word :
       {PairingKind::kYes, PairingKind::kSoon, PairingKind::kNo})
    EXPECT_THROW(pairing.hear(1, word, say), TransportError);
  EXPECT_TRUE(say.empty());
}

} // namespace
} // namespace grapevine::gossip
