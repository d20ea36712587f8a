// What the tests of comm/ share: mixings and plans to sweep over, a slow
// reference in double, workers as threads, and a transport that counts.
#pragma once

#include "base/random.h"
#include "mix/collectives.h"
#include "mix/communicator.h"
#include "mix/plan.h"
#include "mix/plans/plans.h"
#include "net/transports.h"
#include "net/wraps.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace grapevine::mix::testing {

using Planes = std::vector<std::vector<float>>;

// payload = f(rank, index), of mixed signs and magnitudes.
inline float payload(int rank, int64_t index) {
  const auto hash = static_cast<uint32_t>(index * 2654435761u + rank * 40503u);
  return (static_cast<float>(hash % 20011) - 10005) * 1e-3f +
         static_cast<float>(rank) * 0.37f;
}

inline Planes make_planes(int n, int64_t count) {
  Planes planes(n, std::vector<float>(count));
  for (int i = 0; i < n; ++i) {
    for (int64_t e = 0; e < count; ++e)
      planes[i][e] = payload(i, e);
  }
  return planes;
}

struct Case {
  std::string name;
  graph::Mixing mixing;
  std::shared_ptr<const Plan> plan;
};

inline std::vector<std::vector<int>>
random_groups(int n, int group_size, uint64_t seed) {
  std::vector<int> ranks(n);
  std::iota(ranks.begin(), ranks.end(), 0);
  Random(seed, Purpose::kTest).shuffle(std::span(ranks));
  std::vector<std::vector<int>> groups;
  for (int i = 0; i < n; ++i) {
    if (i % group_size == 0) groups.emplace_back();
    groups.back().push_back(ranks[i]);
  }
  return groups;
}

inline graph::Mixing star(int n) {
  std::vector<std::vector<int>> neighbours(n);
  for (int i = 1; i < n; ++i) {
    neighbours[0].push_back(i);
    neighbours[i].push_back(0);
  }
  return graph::Mixing::metropolis(std::move(neighbours));
}

// The directed static exponential graph.
inline graph::Mixing exponential(int n) {
  std::vector<std::vector<int>> neighbours(n);
  for (int i = 0; i < n; ++i) {
    for (int step = 1; step < n; step *= 2) {
      neighbours[i].push_back((i + step) % n);
    }
  }
  return graph::Mixing::uniform(std::move(neighbours));
}

// Groups of up to `size` nodes, the nodes shuffled; the last node may be
// smaller than the others.
inline graph::Mixing groups_of_nodes(int n, int per_node, int size) {
  const int nodes = (n + per_node - 1) / per_node;
  std::vector<std::vector<int>> groups;
  for (const auto& list : random_groups(nodes, size, 11 + size)) {
    groups.emplace_back();
    for (const int node : list) {
      const int end = std::min(n, (node + 1) * per_node);
      for (int i = node * per_node; i < end; ++i)
        groups.back().push_back(i);
    }
  }
  return graph::Mixing::groups(n, std::move(groups));
}

// Averages by nodes of two and more, which some of these n do not divide.
inline void add_node_cases(std::vector<Case>& all, int n) {
  for (const int per_node : {2, 3, 4}) {
    const auto add = [&](const std::string& name, graph::Mixing mixing) {
      auto plan = make_plan(mixing, 1 << 20, per_node);
      all.push_back(
          {fmt::format("{}, nodes of {}", name, per_node),
           std::move(mixing),
           std::move(plan)});
    };
    if (n < 2 * per_node) continue;
    add("complete", graph::Mixing::complete(n));
    for (const int size : {2, 3, 5}) {
      add(fmt::format("groups of {} nodes", size),
          groups_of_nodes(n, per_node, size));
    }
  }
}

// Every way to mix on n workers: every lattice by every plan, groups,
// matchings, averages by nodes, and matrices without a form.
inline std::vector<Case> cases(int n) {
  std::vector<Case> all;
  add_node_cases(all, n);
  const auto add = [&](std::string name, graph::Mixing mixing) {
    auto plan = make_plan(mixing, 1 << 20);
    all.push_back({std::move(name), std::move(mixing), std::move(plan)});
  };
  add("complete", graph::Mixing::complete(n));
  add("star", star(n));
  add("exponential", exponential(n));
  for (const int size : {1, 2, 3, 5}) {
    add("groups of " + std::to_string(size),
        graph::Mixing::groups(n, random_groups(n, size, 7 + size)));
  }
  for (int k = 0; k <= n - 2; k += 2) {
    const auto lattice = graph::Mixing::lattice(n, k);
    const std::string name = "lattice " + std::to_string(k);
    add(name, lattice);
    if (k == 0) continue;
    all.push_back({name + " direct", lattice, make_direct_plan(lattice)});
    all.push_back({name + " doubling", lattice, make_doubling_plan(n, k)});
    all.push_back({name + " scan", lattice, make_block_scan_plan(n, k)});
  }
  return all;
}

// sum_j W_ij x_j in double.
inline std::vector<double>
reference(const graph::Mixing& mixing, const Planes& planes, int i) {
  std::vector<double> result(planes[i].size(), 0.0);
  for (const graph::Term& term : mixing.row(i)) {
    for (size_t e = 0; e < result.size(); ++e) {
      result[e] += term.weight * planes[term.rank][e];
    }
  }
  return result;
}

inline std::vector<float*> pointers(Planes& planes) {
  std::vector<float*> all;
  for (auto& plane : planes)
    all.push_back(plane.data());
  return all;
}

inline Planes mix_all(const Plan& plan, Planes planes) {
  const auto count = static_cast<int64_t>(planes[0].size());
  const CompiledDataflow& compiled = plan.compiled();
  std::vector<float> scratch(count * compiled.scratch_buffers(), -777.0f);
  compiled.run(pointers(planes), count, scratch.data(), count);
  return planes;
}

// Counts what is really sent (net/wraps.h), and names the memory it shares.
class CountingTransport : public net::WrappedTransport {
 public:
  using Counts = net::MessageCounts;

  CountingTransport(
      std::unique_ptr<Transport> inner,
      Counts* counts,
      std::string memory_domain = {})
      : WrappedTransport(net::wrap(
            std::move(inner),
            {net::count_messages(*counts)},
            Deadline::after(std::chrono::seconds(60)))),
        memory_domain_(std::move(memory_domain)) {}

  std::string memory_domain() const override { return memory_domain_; }

 private:
  std::string memory_domain_;
};

using Counts = CountingTransport::Counts;

// Who shows memory to whom: nobody, ranks 0 and 1, 2 and 3, …, or all.
enum class Near { kNobody, kPairs, kAll };
inline constexpr Near kNears[] = {Near::kNobody, Near::kPairs, Near::kAll};

inline std::string domain_of(Near near, int rank) {
  if (near == Near::kNobody) return {};
  return near == Near::kAll ? "all" : std::to_string(rank / 2);
}

// Runs body(communicator) on n threads; throws the first rank's exception.
// Returns what each worker's transport has counted.
inline std::vector<Counts> run_workers(
    int n,
    const CommunicatorOptions& options,
    const std::function<void(Communicator&)>& body,
    Near near = Near::kNobody) {
  auto transports = net::make_local_transports(n);
  std::vector<Counts> counts(n);
  std::vector<std::exception_ptr> errors(n);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < n; ++i) {
      threads.emplace_back([&, i] {
        try {
          Communicator communicator(
              std::make_unique<CountingTransport>(
                  std::move(transports[i]),
                  &counts[i],
                  domain_of(near, i)),
              options);
          body(communicator);
        } catch (...) {
          errors[i] = std::current_exception();
        }
      });
    }
  }
  for (const auto& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return counts;
}

inline CommunicatorOptions options_with(int64_t chunk_bytes) {
  return {.deadline = std::chrono::seconds(60), .chunk_bytes = chunk_bytes};
}

} // namespace grapevine::mix::testing
