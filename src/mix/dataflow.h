// What a plan computes for all workers together, and who computes what. The
// messages follow from it: mix/program.h.
//
// Numbers 0 .. n-1 are the workers' values, n + j is node j, which uses
// smaller numbers only. The order of the nodes is the order in which the
// virtual cluster computes them; a plan lists them so that what is used
// together stands together, since that is what the caches see.
#pragma once

#include "mix/program.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace grapevine::mix {

struct Dataflow {
  // Combined as mix/program.h's Combine does. A node of one term with nothing
  // to multiply is a relay: its owners pass on what they receive.
  struct Node {
    std::vector<int> terms;
    // Worker ranks. Split: owners[p] computes the p-th of owners.size() pieces,
    // and terms that are split are so in the same way. Else every owner
    // computes all of it; where there are several, nobody else needs it.
    std::vector<int> owners;
    bool is_split = false;
    float scale = 1;
    std::vector<float> weights = {};

    int pieces() const {
      return is_split ? static_cast<int>(owners.size()) : 1;
    }
    // What the i-th owner computes.
    Piece piece(size_t i) const {
      return is_split ? Piece{static_cast<int>(i), pieces()} : Piece{};
    }
    bool is_relay() const {
      return terms.size() == 1 && weights.empty() && scale == 1;
    }
  };

  explicit Dataflow(int n) : n(n), results(n) {
    for (int i = 0; i < n; ++i)
      results[i] = i;
  }

  // Returns the node's number.
  int add(Node node) {
    nodes.push_back(std::move(node));
    return numbers() - 1;
  }
  int numbers() const { return n + static_cast<int>(nodes.size()); }

  int n;
  std::vector<Node> nodes;
  // What becomes the value of each worker; its own number is no change.
  std::vector<int> results;
};

} // namespace grapevine::mix
