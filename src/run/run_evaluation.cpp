// What a run evaluates, and the best of it so far.
#include "run/run.h"
#include "run/run_records.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace grapevine::run {

void Run::evaluate() {
  report_progress("evaluating", true);
  {
    Stopwatch watch;
    evaluation_ = evaluator_->evaluate();
    if (step_ == config_.total_steps) evaluator_->translate(*evaluation_);
    evaluated_at_ = step_;
    spans_[0].add(
        record::Span::kEvaluate,
        cluster_.threads() * watch.seconds());
  }
  if (cluster_.is_root()) {
    records_->append(evaluation_record(
        *evaluation_,
        config_.moment(std::max<int64_t>(step_ - 1, 0)),
        training_seconds(),
        last_train_loss_));
  }
  if (best_ && is_to_be_kept(*best_, config_, *evaluation_, step_) &&
      cluster_.is_root()) {
    // The evaluation has left the averaged model there.
    write_best_model(directory_, config_, spare_->arena(), step_);
  }
  report_progress("training", true);
}

} // namespace grapevine::run
