// What a plan computes for all workers together, without the messages.
//
// Numbers 0 .. n-1 are the workers' values, n + j is node j, which uses
// smaller numbers only. The order of the nodes is the order in which the
// virtual cluster computes them; a plan lists them so that what is used
// together stands together, since that is what the caches see.
#pragma once

#include <utility>
#include <vector>

namespace grapevine::mix {

struct Dataflow {
  // Combined as mix/program.h's Combine does.
  struct Node {
    std::vector<int> terms;
    std::vector<float> weights;
    float scale;
  };

  explicit Dataflow(int n) : n(n), results(n) {
    for (int i = 0; i < n; ++i)
      results[i] = i;
  }

  int add(
      std::vector<int> terms,
      float scale = 1,
      std::vector<float> weights = {}) {
    nodes.push_back({std::move(terms), std::move(weights), scale});
    return n + static_cast<int>(nodes.size()) - 1;
  }

  int n;
  std::vector<Node> nodes;
  // What becomes the value of each worker; its own number is no change.
  std::vector<int> results;
};

} // namespace grapevine::mix
