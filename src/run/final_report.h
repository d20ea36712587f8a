// What each worker of an asynchronous run reports when those that live have
// come together, and what follows from all reports.
#pragma once

#include "algo/agreement.h"
#include "mix/cluster.h"
#include "tensor/arena.h"

#include <cstdint>
#include <vector>

namespace grapevine::run {

// All numbers are doubles, since they travel as a row of doubles.
struct FinalReport {
  // How good something of a worker is at the end; the smaller the better.
  static constexpr double kCurrent = 0;
  static constexpr double kOld = 1; // its last checkpoint's
  static constexpr double kNone = 2;

  double interrupted = 0; // 0 or 1, as the next two
  double diverged = 0;
  double gave_up = 0;
  double messages = 0;
  double bytes = 0;
  double gradients = 0;  // since this process began
  double averagings = 0; // the same
  double seconds = 0;
  double training_seconds = 0;
  double loss = 0;       // NaN: of no gradient
  double best_epoch = 0; // 0: there is none
  double best_accuracy = 0;
  double best_loss = 0;
  double values = kCurrent;     // of the weights
  double statistics = kCurrent; // of batch norms
  // Gradients of each worker of the run, as known to this one.
  std::vector<int64_t> counts;
};
using FinalReports = std::vector<FinalReport>;
using FinalNumber = double FinalReport::*;

// Neighbours give weights to one that comes back, and no statistics of batch
// norms. After so many gradients they are its own again: torch's momentum has
// left 0.9^50 = 0.5 % of what they began with.
inline constexpr int64_t kGradientsForStatistics = 50;

std::vector<double> to_row(const FinalReport& report);
FinalReport report_in(const std::vector<double>& row);

double sum(const FinalReports& reports, FinalNumber number);
double most(const FinalReports& reports, FinalNumber number);
double least(const FinalReports& reports, FinalNumber number);
// Over those that have one: a worker that came back at the very end has none.
double mean_loss(const FinalReports& reports);
// By whoever knows most of it: a worker may be lost, or have come back without
// knowing what it had done.
double total_gradients(const FinalReports& reports, int workers);

// Workers whose values, by this number, are worse than others' get the mean of
// those that are best, in these planes of their arena, which is attached to the
// cluster. Collective.
void replace_worse(
    mix::Cluster& cluster,
    const FinalReports& reports,
    FinalNumber number,
    tensor::Arena& arena,
    const std::vector<algo::Plane>& planes);

} // namespace grapevine::run
