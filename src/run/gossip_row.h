// What each worker of an asynchronous run has to say when those that live have
// come together, as a row of numbers, and what follows from all rows.
#pragma once

#include "algo/agreement.h"
#include "mix/cluster.h"
#include "tensor/arena.h"

#include <cstdint>
#include <vector>

namespace grapevine::run {

enum Column {
  kInterrupted,
  kDiverged,
  kGaveUp,
  kMessages,
  kBytes,
  kGradients,  // since this process began
  kAveragings, // the same
  kSeconds,
  kTrainingSeconds,
  kLoss,      // NaN: of no gradient
  kBestEpoch, // 0: there is none
  kBestAccuracy,
  kBestLoss,
  kValues,     // of the weights: kCurrent, kOld or kNone
  kStatistics, // of batch norms: the same
  kCounts // and behind it: gradients of each worker of the run, as known here
};

// How good something of a worker is at the end; the smaller the better.
inline constexpr double kCurrent = 0;
inline constexpr double kOld = 1; // its last checkpoint's
inline constexpr double kNone = 2;

// Neighbours give weights to one that comes back, and no statistics of batch
// norms. After so many gradients they are its own again: torch's momentum has
// left 0.9^50 = 0.5 % of what they began with.
inline constexpr int64_t kGradientsForStatistics = 50;

double sum(const mix::Rows& rows, Column column);
double most(const mix::Rows& rows, Column column);
// Of those that have one: who came back at the very end has none.
double mean_loss(const mix::Rows& rows);
// By whoever knows most of it: a worker may be lost, or have come back without
// knowing what it had done.
double total_gradients(const mix::Rows& rows, int workers);

// Of kValues or kStatistics: the best that anybody has.
double best_values(const mix::Rows& rows, Column column);

// Whose values, by this column, are worse than others' gets the mean of those
// that are best, in these planes of its arena, which is attached to the
// cluster. Collective.
void replace_worse(
    mix::Cluster& cluster,
    const mix::Rows& rows,
    Column column,
    tensor::Arena& arena,
    const std::vector<algo::Plane>& planes);

} // namespace grapevine::run
