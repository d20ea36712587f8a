#include "base/random.h"

#include <cmath>
#include <numbers>

namespace grapevine {
namespace {

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15ULL;

uint64_t scramble(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

uint64_t absorb(uint64_t hash, uint64_t word) {
  return scramble((hash ^ scramble(word + kGolden)) + kGolden);
}

} // namespace

Random::Random(uint64_t seed, Purpose purpose, uint64_t a, uint64_t b)
    : state_(absorb(
          absorb(absorb(scramble(seed), static_cast<uint64_t>(purpose)), a),
          b)) {}

uint64_t Random::next() {
  state_ += kGolden;
  return scramble(state_);
}

uint64_t Random::below(uint64_t bound) {
  // Values under the threshold would make the first residues more likely.
  const uint64_t threshold = (0 - bound) % bound;
  for (;;) {
    const uint64_t value = next();
    if (value >= threshold) return value % bound;
  }
}

double Random::uniform() {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

double Random::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  // 1 - u lies in (0, 1], so the logarithm is finite.
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  const double angle = 2.0 * std::numbers::pi * uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

} // namespace grapevine
