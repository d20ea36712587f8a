// Random k-regular graph: simple, connected, undirected, the same for all who
// know (n, k, seed). Uniform weights 1/(k+1).
//
//   x_i <- (x_i + sum_{j in N(i)} x_j) / (k+1)          |N(i)| = k, n*k even
//
// Made by the configuration model (Bollobas 1980): every worker holds k stubs,
// a random matching of all stubs gives the edges. The loops and double edges
// among them are switched away: a bad edge {u,v} and a random edge {x,y}
// become {u,x} and {v,y} where that leaves no bad edge. A graph that is not
// connected (rare for k >= 3) is thrown away. Three shortcuts keep the odds
// good: the connected 2-regular graphs are the cycles through all workers; a
// dense graph is the complement of a sparse one; k = n-1 is complete.
//
// Cost a step and worker: k messages, k model copies. Symmetric.
#include "graph/graphs.h"

#include "base/error.h"
#include "base/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace grapevine::graph {
namespace {

using Neighbours = std::vector<std::vector<int>>;

// The workers draw one graph, not one each: both address words are fixed.
constexpr uint64_t kRegularStream = 0x72656775; // "regu"

// A multigraph as a list of edges, which knows which of them are bad.
class StubMatching {
 public:
  StubMatching(int n, int k, Random& random)
      : n_(n),
        random_(random),
        copies_(static_cast<size_t>(n) * n) {
    std::vector<int> stubs;
    stubs.reserve(static_cast<size_t>(n) * k);
    for (int i = 0; i < n; ++i)
      stubs.insert(stubs.end(), k, i);
    random.shuffle(std::span<int>(stubs));
    for (size_t s = 0; s + 1 < stubs.size(); s += 2) {
      edges_.emplace_back(stubs[s], stubs[s + 1]);
      ++copies_[key(edges_.back())];
    }
  }

  // Switches until the graph is simple; false if luck runs out.
  bool repair() {
    for (auto& edge : edges_) {
      int tries = 0;
      while (is_bad(edge)) {
        if (++tries > kMaxTries) return false;
        try_switch(edge, edges_[random_.below(edges_.size())]);
      }
    }
    return true;
  }

  Neighbours neighbours() const {
    Neighbours lists(n_);
    for (const auto& [u, v] : edges_) {
      lists[u].push_back(v);
      lists[v].push_back(u);
    }
    return lists;
  }

 private:
  using Edge = std::pair<int, int>;
  static constexpr int kMaxTries = 10000;

  size_t key(Edge e) const {
    return static_cast<size_t>(std::min(e.first, e.second)) * n_ +
           std::max(e.first, e.second);
  }
  bool is_bad(Edge e) const {
    return e.first == e.second || copies_[key(e)] > 1;
  }
  bool is_free(Edge e) const {
    return e.first != e.second && copies_[key(e)] == 0;
  }
  void try_switch(Edge& bad, Edge& other) {
    if (&bad == &other) return;
    if (random_.below(2) == 1) std::swap(other.first, other.second);
    const Edge first = {bad.first, other.first};
    const Edge second = {bad.second, other.second};
    if (!is_free(first) || !is_free(second) || key(first) == key(second)) {
      return;
    }
    --copies_[key(bad)];
    --copies_[key(other)];
    bad = first;
    other = second;
    ++copies_[key(first)];
    ++copies_[key(second)];
  }

  int n_;
  Random& random_;
  std::vector<Edge> edges_;
  std::vector<uint16_t> copies_; // of {u,v}, at u*n + v with u <= v
};

// Simple and k-regular, connected or not. k <= (n-1)/2.
Neighbours draw_sparse(int n, int k, Random& random) {
  for (;;) {
    StubMatching matching(n, k, random);
    if (matching.repair()) return matching.neighbours();
  }
}

Neighbours draw_cycle(int n, Random& random) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(std::span<int>(order));
  Neighbours lists(n);
  for (int t = 0; t < n; ++t) {
    const int next = order[(t + 1) % n];
    lists[order[t]].push_back(next);
    lists[next].push_back(order[t]);
  }
  return lists;
}

Neighbours complement(const Neighbours& lists) {
  const int n = static_cast<int>(lists.size());
  Neighbours others(n);
  for (int i = 0; i < n; ++i) {
    std::vector<bool> joined(n);
    joined[i] = true;
    for (const int j : lists[i])
      joined[j] = true;
    for (int j = 0; j < n; ++j) {
      if (!joined[j]) others[i].push_back(j);
    }
  }
  return others;
}

Neighbours draw(int n, int k, Random& random) {
  if (k == 2) return draw_cycle(n, random);
  if (k > (n - 1) / 2) return complement(draw_sparse(n, n - 1 - k, random));
  return draw_sparse(n, k, random);
}

bool is_connected(const Neighbours& lists) {
  return !first_unreachable(static_cast<int>(lists.size()), [&](int i) {
    return lists[i];
  });
}

void require_realisable(int n, int k) {
  require_degree_in_range("random-regular", n, k);
  if (k == 1 && n > 2) {
    throw ConfigError(fmt::format(
        "graph random-regular: k = 1 cannot join {} workers; nearest that "
        "works: 2",
        n));
  }
  if (n % 2 == 1 && k % 2 == 1) {
    throw ConfigError(fmt::format(
        "graph random-regular: n * k must be even, got n = {} and k = {}; "
        "nearest k that works: {} and {}",
        n,
        k,
        k - 1,
        k + 1));
  }
}

} // namespace

Mixing make_random_regular(int n, int k, uint64_t seed) {
  if (k == 0) k = std::min(4, n - 1);
  require_realisable(n, k);
  if (k == n - 1) return Mixing::complete(n);
  Random random(seed, Purpose::kGraph, kRegularStream);
  Neighbours lists = draw(n, k, random);
  while (!is_connected(lists))
    lists = draw(n, k, random);
  return Mixing::uniform(std::move(lists));
}

} // namespace grapevine::graph
