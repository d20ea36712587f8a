// Ada without a timetable: k follows how far the replicas have drifted apart.
//
// What is measured, before averaging, every few steps: the coefficient of
// variation over the workers of the norm s_i of all their parameters,
//
//   spread = sd(s) / mean(s)          s_i = ||y_i||_2
//
// from two sums over the workers, so that it costs 16 bytes up a tree and 16
// bytes down, and every worker sees the same bits and decides the same.
//
// What follows from it. The spread is smoothed (c <- (c + spread) / 2). While
// the graph is at its densest (k0), the largest c so far is the reference;
// `level` times it is what the replicas may differ by. Then, at each
// observation,
//
//   c < level * (1 - hysteresis), `patience` times in a row: k <- k / 2
//   c > level * (1 + hysteresis):                            k <- 2 k
//
// between k_min and k0, made a lattice's k as Ada's. So the graph is dense
// while the replicas differ most, as in the paper, thins out as they calm
// down (later gradients and learning rates are smaller), and is denser again
// where it thinned out too far.
//
// A pure state machine: no clock, no chance, no communication.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace grapevine::algo {

struct AdaControlOptions {
  int n = 1;
  int k0 = 0; // 0 = n-1
  int k_min = 2;
  double level = 0.5;      // of the reference
  double hysteresis = 0.1; // around the level, below 1
  int patience = 2;        // calm observations before k falls
};

// The two sums over workers that a spread is made of, of norms less a
// reference that all workers know (the last mean): the norms agree in their
// first digits, which would otherwise cancel.
struct SpreadSums {
  double excess = 0;  // sum of s_i - reference
  double squares = 0; // sum of (s_i - reference)^2
};

class AdaControl {
 public:
  explicit AdaControl(const AdaControlOptions& options);

  // The degree from now on.
  int k() const { return state_.k; }
  // What a worker with this norm adds to the sums of the next observation.
  SpreadSums contribution(double norm) const;
  // Takes the sums over all n workers. Sums that are not finite (a run that
  // diverges) are passed over.
  void observe(const SpreadSums& sums);

  // Of the last observation, and what it is compared with (nothing before
  // there was one).
  double spread() const { return state_.spread; }
  std::optional<double> threshold() const;

  // All that it remembers, for checkpoints.
  struct State {
    int k = 0;
    double mean = 0;      // of the norms, at the last observation
    double spread = 0;    // then
    double smoothed = -1; // c; below 0: nothing observed
    double reference = 0;
    int calm = 0; // observations in a row
  };
  const State& state() const { return state_; }
  void restore(const State& state) { state_ = state; }

 private:
  void decide();

  AdaControlOptions options_;
  int densest_; // k0 as a lattice's k
  State state_;
};

} // namespace grapevine::algo
