// Chance with an address.
//
// Every random number derives from (seed, purpose, a, b): typically
// (seed, purpose, rank, step). Whoever knows the address draws the same
// numbers, so workers agree on a time-varying graph without talking and a
// resumed run goes on exactly as an unbroken one.
//
// The generator is splitmix64 started from a hash of the address; the
// distributions are our own, since those of <random> differ between standard
// libraries.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace grapevine {

// What a stream of numbers is for. The values are part of the results (they
// enter the hash), so a purpose keeps its number for good.
enum class Purpose : uint64_t {
  kInit = 1,
  kShuffle = 2,
  kGraph = 3,
  kDropout = 4,
  kAugment = 5,
  kEvalSubset = 6,
  kSynthetic = 7,
  kSplit = 8,
  kCompute = 9,
  kGossip = 10,
  kProbe = 11,
  kSubset = 12,
  kBootstrap = 13,
  kSlow = 14,
  kSketch = 15,
  kTest = 99,
};

class Random {
 public:
  Random(uint64_t seed, Purpose purpose, uint64_t a = 0, uint64_t b = 0);

  // Uniform over all 64-bit values.
  uint64_t next();
  // Uniform over [0, bound), without bias. bound > 0.
  uint64_t below(uint64_t bound);
  // Uniform over [0, 1), 53 bits.
  double uniform();
  // Standard normal (Box-Muller, the second value of a pair is kept).
  double normal();

  // Fisher-Yates; all orders equally likely.
  template <typename T>
  void shuffle(std::span<T> values) {
    for (size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[below(i)]);
    }
  }

 private:
  uint64_t state_;
  double spare_ = 0;
  bool has_spare_ = false;
};

} // namespace grapevine
