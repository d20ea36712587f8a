// What a run measures of its replicas while it goes.
#include "run/numbers.h"
#include "run/run.h"
#include "run/run_records.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace grapevine::run {
// A row a hosted worker: a place for each tensor's norm, then for its
// gradient's, then for the ratio of its update to itself.
void Run::probe() {
  const auto tensors =
      static_cast<int64_t>(workers_.front().arena().layout().tensors().size());
  mix::Rows norms;
  mix::Rows rows;
  std::vector<double> gradient_norms;
  for (size_t i = 0; i < workers_.size(); ++i) {
    const auto& squares = stepper_->squares(static_cast<int>(i));
    std::vector<double>& row = rows.emplace_back();
    for (const double square : squares.parameters)
      row.push_back(std::sqrt(square));
    norms.push_back(row);
    for (const double square : squares.gradients)
      row.push_back(std::sqrt(square));
    for (int64_t t = 0; t < tensors; ++t)
      row.push_back(std::sqrt(squares.updates[t] / squares.parameters[t]));
    gradient_norms.push_back(std::sqrt(sum_of(squares.gradients)));
  }
  records_->append(
      {{"type", "norms"},
       {"step", step_},
       {"norms", norms},
       {"gradient_norms", gradient_norms}});
  const double distance = consensus_distance(
      cluster_,
      workers_,
      record::consensus_sample(
          workers_.front().arena().layout().size(),
          config_.spec.seed,
          step_),
      spare_->arena().parameters());
  rows = cluster_.gather(rows);
  if (!cluster_.is_root()) return;
  records_->append(
      dispersion_record(rows, tensors, config_.moment(step_), distance));
}

void Run::observe_spread() {
  mix::Rows mine;
  for (size_t i = 0; i < workers_.size(); ++i) {
    const auto& squares = stepper_->squares(static_cast<int>(i)).parameters;
    const auto sums = ada_->contribution(std::sqrt(sum_of(squares)));
    mine.push_back({sums.excess, sums.squares});
  }
  const std::vector<double> sums = cluster_.sum(mine);
  ada_->observe({.excess = sums[0], .squares = sums[1]});
  if (!cluster_.is_root()) return;
  records_->append(
      {{"type", "density"},
       {"step", step_},
       {"spread", ada_->spread()},
       {"level", ada_->threshold().value_or(std::nan(""))},
       {"k", ada_->k()}});
}

} // namespace grapevine::run
