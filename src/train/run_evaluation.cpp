// What a run evaluates: its replicas, the best of them so far, and the moving
// averages of their weights.
#include "kernel/elementwise.h"
#include "record/safetensors.h"
#include "train/planes.h"
#include "train/run.h"
#include "train/run_records.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace grapevine::train {

void Run::evaluate() {
  report_progress("evaluating", true);
  {
    Stopwatch watch;
    evaluation_ = evaluator_->evaluate();
    if (step_ == setup_.total_steps) evaluator_->translate(*evaluation_);
    evaluated_at_ = step_;
    spans_[0].add(probe::Span::kEvaluate, cluster_.threads() * watch.seconds());
  }
  if (cluster_.hosts_first()) {
    records_->append(evaluation_record(
        *evaluation_,
        setup_.moment(std::max<int64_t>(step_ - 1, 0)),
        training_seconds(),
        last_train_loss_));
  }
  if (best_) keep_best();
  report_progress("training", true);
}

void Run::keep_best() {
  const int64_t epoch = setup_.moment(std::max<int64_t>(step_ - 1, 0)).epoch;
  const bool is_better = best_->offer(*evaluation_, epoch + 1);
  if (!is_better || !setup_.spec.keep_best || !cluster_.hosts_first()) return;
  // The evaluation has left the averaged model there.
  record::write_safetensors(
      directory_.best_model(),
      named_tensors(spare_->arena()),
      {{"model", setup_.spec.model},
       {"step", std::to_string(step_)},
       {"workers", std::to_string(setup_.spec.n)}});
}

bool Run::stops_early() const {
  return setup_.spec.early_stop > 0 && best_->since() >= setup_.spec.early_stop;
}

// At the initial values.
void Run::begin_averages() {
  if (!setup_.has_moving_average()) return;
  for (Worker& worker : workers_) {
    std::ranges::copy(
        worker.arena().parameters(),
        algo::plane_of(worker.arena(), algo::Plane::kMovingAverage).begin());
  }
}

void Run::move_averages() {
  const auto share = static_cast<float>(1 - setup_.spec.ema);
  cluster_.for_each([&](int index) {
    arena::Arena& arena = workers_[index].arena();
    const auto average = algo::plane_of(arena, algo::Plane::kMovingAverage);
    kernel::follow(
        average.data(),
        arena.parameters().data(),
        static_cast<int64_t>(average.size()),
        share);
  });
}

} // namespace grapevine::train
