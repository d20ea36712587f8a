// Random graphs, rates, delays, speeds and seeds: every run ends, conserves
// what it must, leaves nobody out, and goes on from any state to the same end.
// A fixed number of cases; `./dev fuzz` goes on for GRAPEVINE_FUZZ_SECONDS.
#include "sim/virtual_world.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdlib>
#include <map>
#include <set>

namespace grapevine::sim {
namespace {

using Graph = std::vector<std::vector<int>>;

// Seconds; 0 = as many cases as the test asks for.
double fuzz_seconds() {
  const char* text = std::getenv("GRAPEVINE_FUZZ_SECONDS");
  return text == nullptr ? 0 : std::atof(text);
}

// GRAPEVINE_FUZZ_SEED repeats a failure.
uint64_t first_seed() {
  const char* text = std::getenv("GRAPEVINE_FUZZ_SEED");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

// Calls check(seed) with new seeds: `cases` times, and until the time is over.
template <typename Check>
void fuzz(uint64_t cases, Check&& check) {
  const auto begin = std::chrono::steady_clock::now();
  const std::chrono::duration<double> limit(fuzz_seconds());
  const auto goes_on = [&] {
    return std::chrono::steady_clock::now() - begin < limit;
  };
  const uint64_t first = first_seed();
  for (uint64_t seed = first; seed < first + cases || goes_on(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    check(seed);
    if (testing::Test::HasFailure()) return;
  }
}

// A random tree with random edges on top, so that it is connected.
Graph random_graph(int n, Random& random) {
  std::vector<std::set<int>> edges(n);
  const auto join = [&](int a, int b) {
    if (a == b) return;
    edges[a].insert(b);
    edges[b].insert(a);
  };
  for (int i = 1; i < n; ++i)
    join(i, static_cast<int>(random.below(i)));
  const auto more = random.below(2 * n + 1);
  for (uint64_t e = 0; e < more; ++e) {
    join(static_cast<int>(random.below(n)), static_cast<int>(random.below(n)));
  }
  Graph graph;
  for (const auto& row : edges)
    graph.emplace_back(row.begin(), row.end());
  return graph;
}

// Of both planes and all workers.
struct Sums {
  double total = 0;
  double magnitude = 0;
};

Sums sums_of(World& world) {
  Sums sums;
  for (int i = 0; i < world.n(); ++i) {
    for (const auto plane : {world.replica(i).x(), world.replica(i).y()}) {
      for (const float value : plane) {
        sums.total += value;
        sums.magnitude += std::abs(value);
      }
    }
  }
  return sums;
}

// A random world and run.
class Case {
 public:
  explicit Case(uint64_t seed) : random_(seed, Purpose::kTest, 1) {
    const int n = 1 + static_cast<int>(random_.below(12));
    lr_ = random_.below(2) == 0 ? 0 : 0.01;
    const bool momentum = random_.below(2) == 0;
    const gossip::Dynamics dynamics{
        .eta = momentum ? 0.5 * random_.uniform() + 0.01 : 0,
        .alpha_y = 2 * random_.uniform()};
    world_ = std::make_unique<World>(n, dynamics, lr_, true, seed);
    options_.neighbours = random_graph(n, random_);
    options_.averagings = random_.below(2) == 0 ? gossip::Averagings::kPoisson
                                                : gossip::Averagings::kExact;
    options_.rate = 4 * random_.uniform() + 0.05;
    options_.max_lag =
        random_.below(3) == 0 ? static_cast<int64_t>(random_.below(4)) : -1;
    options_.seed = seed;
    options_.check = true;
    options_.total_gradients = static_cast<int64_t>(random_.below(60 * n)) + 1;
    // Times from none at all to many times a gradient's, different on each way.
    const double word = random_.below(3) == 0 ? 0 : 0.3 * random_.uniform();
    const double transfer = random_.below(3) == 0 ? 0 : 4 * random_.uniform();
    const double spread = random_.below(2) == 0 ? 0 : 3;
    options_.times.gradient = [=](int worker, int64_t gradient) {
      Random chance(seed, Purpose::kCompute, worker, gradient);
      return 0.2 + spread * chance.uniform() + (worker == 0 ? spread : 0);
    };
    options_.times.word = [=](int from, int to) {
      return word * (1 + (3 * from + to) % 5);
    };
    options_.times.transfer = [=](int a, int b) {
      return transfer * (1 + (a + b) % 3);
    };
    if (random_.below(2) == 0) share_links(n);
  }

  VirtualGossip make() { return world_->make(options_); }
  World& world() { return *world_; }
  double lr() const { return lr_; }
  Random& random() { return random_; }
  const VirtualGossipOptions& options() const { return options_; }

 private:
  // Workers stand on nodes, each with a way out and a way in.
  void share_links(int n) {
    const int a_node = 1 + static_cast<int>(random_.below(4));
    for (int way = 0; way < 2 * n; ++way)
      options_.times.way_rates.push_back(0.2 + 3 * random_.uniform());
    options_.times.replica_bytes = 1;
    options_.times.ways = [a_node](int a, int b) -> std::vector<int> {
      const int from = a / a_node;
      const int to = b / a_node;
      if (from == to) return {};
      return {2 * from, 2 * to + 1, 2 * to, 2 * from + 1};
    };
  }

  Random random_;
  double lr_ = 0;
  VirtualGossipOptions options_;
  std::unique_ptr<World> world_;
};

void check_run(uint64_t seed) {
  Case it(seed);
  VirtualGossip gossip = it.make();
  const VirtualGossipOptions& options = it.options();
  const Sums before = sums_of(it.world());
  const int64_t limit = 2000 * options.total_gradients + 1000;
  int64_t events = 0;
  // Random constants can drive replicas apart, and what is rounded is as large
  // as they were at their largest.
  double largest = before.magnitude;
  while (gossip.advance()) {
    ASSERT_LT(++events, limit) << "goes on for ever";
    if (it.lr() == 0) {
      largest = std::max(largest, sums_of(it.world()).magnitude);
    }
  }
  EXPECT_EQ(gossip.gradients(), options.total_gradients)
      << "came to a halt: " << it.world().n() << " workers, lag "
      << options.max_lag << ", rate " << options.rate;
  const bool has_diverged = !(largest < 1e30); // may have overflowed
  if (it.lr() == 0 && !has_diverged) {
    EXPECT_NEAR(sums_of(it.world()).total, before.total, 1e-5 * largest + 1e-3);
  }
  int64_t averagings = 0;
  for (int i = 0; i < it.world().n(); ++i) {
    const gossip::Statistics& worker = gossip.statistics(i);
    averagings += worker.averagings;
    // Nobody takes part in more than its gradients allow, but at random.
    const double allowed =
        options.rate * static_cast<double>(worker.gradients + 1);
    EXPECT_LE(
        static_cast<double>(worker.averagings),
        allowed + 6 * std::sqrt(allowed) + 3);
  }
  EXPECT_EQ(averagings % 2, 0);
}

void check_resume(uint64_t seed) {
  Case whole(seed);
  VirtualGossip unbroken = whole.make();
  const auto events = whole.random().below(400);
  for (uint64_t i = 0; i < events; ++i) {
    if (!unbroken.advance()) break;
  }
  Case copy(seed);
  VirtualGossip resumed = copy.make();
  copy.world().copy_planes(whole.world());
  resumed.restore(nlohmann::json::parse(unbroken.state().dump()));
  for (int i = 0; i < whole.world().n(); ++i) {
    const auto from = unbroken.sent(i);
    ASSERT_EQ(from.size(), resumed.sent(i).size());
    std::ranges::copy(from, resumed.sent(i).begin());
  }
  while (unbroken.advance())
    ASSERT_TRUE(resumed.advance());
  EXPECT_FALSE(resumed.advance());
  EXPECT_EQ(unbroken.now(), resumed.now());
  for (int i = 0; i < whole.world().n(); ++i) {
    ASSERT_TRUE(std::ranges::equal(
        whole.world().replica(i).x(),
        copy.world().replica(i).x()));
  }
}

TEST(Fuzz, RunsEnd) {
  fuzz(1000, check_run);
}

TEST(Fuzz, RunsGoOnFromAnyState) {
  fuzz(1000, check_resume);
}

// Workers die and return at random moments: words that were under way are lost
// with the link, on both sides, as links have it; whoever lives goes on.
class Mortals {
 public:
  explicit Mortals(uint64_t seed) : random_(seed, Purpose::kTest, 2) {
    n_ = 2 + static_cast<int>(random_.below(7));
    graph_ = random_graph(n_, random_);
    alive_.assign(n_, true);
    averaged_.assign(n_, false);
    for (int i = 0; i < n_; ++i)
      workers_.emplace_back(i, graph_[i], seed);
  }

  void run() {
    constexpr int kEvents = 3000;
    for (int i = 0; i < kEvents; ++i) {
      happen();
      if (testing::Test::HasFailure()) return;
    }
    // Those that live, reminded often enough, leave no two in want.
    for (int i = 0; i < 200 * n_; ++i) {
      settle();
      for (int w = 0; w < n_; ++w) {
        if (alive_[w]) tell(w, [&](auto& say) { workers_[w].want(0, say); });
      }
    }
    settle();
    for (int i = 0; i < n_; ++i) {
      for (const int j : graph_[i]) {
        if (!alive_[i] || !alive_[j]) continue;
        EXPECT_FALSE(workers_[i].wanted() > 0 && workers_[j].wanted() > 0)
            << i << " and " << j << " wait for each other";
      }
    }
  }

 private:
  template <typename Call>
  void tell(int worker, Call&& call) {
    std::vector<gossip::PairingMessage> say;
    call(say);
    for (const gossip::PairingMessage& saying : say) {
      if (alive_[saying.peer]) {
        channels_[{worker, saying.peer}].push_back(saying.word);
      }
    }
  }

  void happen() {
    const auto worker = static_cast<int>(random_.below(n_));
    switch (random_.below(20)) {
      case 0:
        return alive_[worker] ? die(worker) : come_back(worker);
      case 1:
      case 2:
      case 3:
        if (!alive_[worker]) return;
        return tell(worker, [&](auto& say) { workers_[worker].want(1, say); });
      case 4:
      case 5:
        return finish(worker);
      default:
        return deliver();
    }
  }

  void die(int worker) {
    alive_[worker] = false;
    for (const int j : graph_[worker]) {
      channels_.erase({worker, j});
      channels_.erase({j, worker});
      if (!alive_[j]) continue;
      const bool was_partner = workers_[j].partner() == worker;
      tell(j, [&](auto& say) {
        workers_[j].lose(worker, say);
        if (was_partner) workers_[j].finish(say);
      });
      if (was_partner) averaged_[j] = false;
    }
  }

  void come_back(int worker) {
    alive_[worker] = true;
    averaged_[worker] = false;
    workers_[worker] = gossip::Pairing(worker, {}, random_.next());
    for (const int j : graph_[worker]) {
      if (!alive_[j]) continue;
      tell(worker, [&](auto& say) { workers_[worker].join(j, say); });
      tell(j, [&](auto& say) { workers_[j].join(worker, say); });
    }
  }

  void deliver() {
    if (channels_.empty()) return;
    auto at = channels_.begin();
    std::advance(at, random_.below(channels_.size()));
    const auto [from, to] = at->first;
    const gossip::PairingKind word = at->second.front();
    at->second.erase(at->second.begin());
    if (at->second.empty()) channels_.erase(at);
    tell(to, [&](auto& say) { workers_[to].hear(from, word, say); });
  }

  // One end of a pair notices that the averaging is over, once both are in it.
  void finish(int worker) {
    const auto partner = workers_[worker].partner();
    if (!alive_[worker] || !partner) return;
    if (!averaged_[worker]) {
      if (workers_[*partner].partner() != worker) return;
      averaged_[worker] = averaged_[*partner] = true;
    }
    averaged_[worker] = false;
    tell(worker, [&](auto& say) { workers_[worker].finish(say); });
  }

  void settle() {
    for (int i = 0; i < 50 * n_; ++i) {
      deliver();
      finish(static_cast<int>(random_.below(n_)));
    }
  }

  Random random_;
  int n_ = 2;
  Graph graph_;
  std::vector<bool> alive_;
  std::vector<bool> averaged_;
  std::vector<gossip::Pairing> workers_;
  std::map<std::pair<int, int>, std::vector<gossip::PairingKind>> channels_;
};

TEST(Fuzz, WorkersDieAndReturn) {
  fuzz(300, [](uint64_t seed) { Mortals(seed).run(); });
}

} // namespace
} // namespace grapevine::sim
