// Which samples belong to which worker, where their data are to differ.
//
// A split deals all N samples to the n workers once and for all. It is a pure
// function of (seed, n, labels or files, kind, alpha): the same on every
// process and for every transport. By labels worker w gets
// N (w+1) / n - N w / n samples (rounded down each), so that no two workers'
// numbers differ by more than one:
//
//   class       samples sorted by class, within a class shuffled; worker w gets
//               the w-th piece: one class, or a few that follow each other
//   dirichlet   of each class c worker w is to get the share p_cw, where the
//               p_c are drawn from Dirichlet(alpha): the smaller alpha, the
//               fewer workers share a class. The numbers p_cw N_c are balanced
//               until classes and workers both have their totals (rows and
//               columns scaled in turn, which keeps the ratios that make the
//               workers differ), then rounded; what rounding has left over is
//               moved from those with too many, out of their largest class, to
//               those with too few.
//
// alpha -> infinity gives every worker the same share of every class.
//
//   file        the samples of a file stay together, so that a worker reads no
//               others' files: the files, largest first, each go to the worker
//               that has fewest samples so far. Numbers differ by at most the
//               largest file's; the worker with fewest decides how many steps
//               an epoch has, and what others have more is left out, other
//               samples in every epoch.
#pragma once

#include "base/random.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace grapevine::data {

enum class SplitKind { kClass, kDirichlet };

struct SplitOptions {
  SplitKind kind = SplitKind::kDirichlet;
  double alpha = 0.3; // dirichlet; above 0
  uint64_t seed = 0;
};

// Worker w has order[begins[w]] to order[begins[w + 1]].
struct Split {
  std::vector<int64_t> order;  // a permutation of all samples
  std::vector<int64_t> begins; // n + 1 of them

  int workers() const { return static_cast<int>(begins.size()) - 1; }
  int64_t samples(int worker) const {
    return begins[worker + 1] - begins[worker];
  }
  // Of the workers that have fewest and most.
  int64_t fewest() const;
  int64_t most() const;
  // 16 hexadecimal digits over all of it, for workers to compare.
  std::string digest() const;
};

// files: of each sample the number of its file (Source::files()), 0 or more.
// Throws ConfigError where there are fewer files than workers.
Split make_file_split(std::span<const int64_t> files, int workers);

// labels: the class of each sample, in 0..classes-1.
Split make_split(
    std::span<const int64_t> labels,
    int classes,
    int workers,
    const SplitOptions& options);

// Chance that Dirichlet splits are made of.

// `count` shares from the symmetric Dirichlet(alpha): positive, their sum 1.
// alpha > 0; shares below 1e-30 are 1e-30.
std::vector<double> draw_dirichlet(Random& random, int count, double alpha);

} // namespace grapevine::data
