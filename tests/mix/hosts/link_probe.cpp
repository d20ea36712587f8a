// How long exchanges take over the links at hand, as one worker of several:
//
//   link_probe BYTES TURNS
//
// under any launcher. Three patterns, each after a barrier, TURNS times: pairs
// that exchange BYTES each way, a ring in which everybody sends BYTES to both
// neighbours, and an all-reduce of BYTES; that one again by nodes where several
// workers share one. Worker 0 prints a line for each with
// its name and the median over the turns of the slowest worker's seconds.
// Wrong results give no number.
#include "graph/mixing.h"
#include "mix/collectives.h"
#include "mix/communicator.h"
#include "mix/find_nodes.h"
#include "net/transports.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace grapevine::mix {
namespace {

constexpr std::chrono::seconds kDeadline(100);

class Probe {
 public:
  Probe(Communicator& communicator, int64_t bytes, int turns)
      : communicator_(communicator),
        turns_(turns),
        plane_(bytes / 4),
        other_(bytes / 4) {}

  void run(int per_node) {
    const int n = communicator_.size();
    const int rank = communicator_.rank();
    const auto ring = make_plan(graph::Mixing::lattice(n, 2), bytes());
    const auto all = make_plan(graph::Mixing::complete(n), bytes());
    measure("pairs", rank ^ 1, [&] {
      exchange(communicator_, rank ^ 1, plane_, other_);
      plane_.swap(other_);
    });
    const int left = (rank + n - 1) % n;
    const int right = (rank + 1) % n;
    measure("ring", (left + rank + right) / 3.0, [&] {
      communicator_.mix(*ring, plane_);
    });
    measure("all-reduce", (n - 1) / 2.0, [&] {
      communicator_.mix(*all, plane_);
    });
    if (per_node == 1) return;
    const auto by_nodes =
        make_plan(graph::Mixing::complete(n), bytes(), per_node);
    measure("all-reduce-by-nodes", (n - 1) / 2.0, [&] {
      communicator_.mix(*by_nodes, plane_);
    });
  }

 private:
  int64_t bytes() const { return static_cast<int64_t>(plane_.size()) * 4; }

  template <typename Work>
  void measure(const char* name, double expected, const Work& work) {
    std::vector<double> slowest;
    for (int turn = 0; turn <= turns_; ++turn) {
      std::ranges::fill(plane_, static_cast<float>(communicator_.rank()));
      barrier(communicator_);
      const auto begin = std::chrono::steady_clock::now();
      work();
      const std::chrono::duration<double> taken =
          std::chrono::steady_clock::now() - begin;
      for (const float value : plane_) {
        if (std::abs(value - expected) > 1e-5) {
          throw std::runtime_error(fmt::format("{}: wrong result", name));
        }
      }
      const double mine = taken.count();
      const auto all = gather(communicator_, std::span(&mine, 1), 0);
      // The first turn opens connections.
      if (communicator_.rank() != 0 || turn == 0) continue;
      slowest.push_back(0);
      for (const auto& row : all)
        slowest.back() = std::max(slowest.back(), row.at(0));
    }
    if (communicator_.rank() != 0) return;
    std::ranges::sort(slowest);
    std::puts(fmt::format("{} {:.6f}", name, slowest[turns_ / 2]).c_str());
  }

  Communicator& communicator_;
  int turns_;
  std::vector<float> plane_;
  std::vector<float> other_;
};

int run(int64_t bytes, int turns) {
  const auto environment = net::read_launch_environment();
  Communicator communicator(
      net::make_transport(environment.transport, environment, {kDeadline}),
      {.deadline = kDeadline});
  Probe(communicator, bytes, turns)
      .run(find_workers_per_node(communicator, environment));
  mix::barrier(communicator);
  return 0;
}

} // namespace
} // namespace grapevine::mix

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    return grapevine::mix::run(std::stoll(argv[1]), std::stoi(argv[2]));
  } catch (const std::exception& error) {
    std::fputs(fmt::format("link_probe: {}\n", error.what()).c_str(), stderr);
    return 1;
  }
}
