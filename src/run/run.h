// One run, from its first round (or a checkpoint) to the result: the loop over
// an engine (run/engine.h), and what is done between its rounds. The same for
// synchronous and asynchronous runs, in one process or in many.
#pragma once

#include "run/clock.h"
#include "run/context.h"
#include "run/engine.h"
#include "run/evaluator.h"
#include "run/trainer.h"

#include <cstdint>
#include <optional>
#include <string>

namespace grapevine::run {

class Run {
 public:
  // Both are borrowed; the engine is one of this context. Takes up the newest
  // usable checkpoint. Collective.
  Run(RunContext& context, Engine& engine);

  // Trains to the end, or to an interruption. Collective; the result is
  // complete on the process that hosts worker 0, or where it says so.
  TrainResult run();

 private:
  Outcome train();
  void finish_epoch(const Round& round);
  void probe(const Round& round);
  // Evaluates all replicas and the averaged model after so many steps.
  // translates: BLEU, too.
  void evaluate(int64_t steps, bool translates);
  Wishes wishes(const Round& round) const;
  bool is_evaluation_due(const Round& round) const;
  void write_checkpoint();
  // What is stored with a checkpoint.
  nlohmann::json state() const;
  // Makes the result, while all workers can be asked.
  TrainResult finish(const Ending& ending);
  void evaluate_at_the_end(const Ending& ending);
  void report_progress(const std::string& phase, bool force);

  RunContext& context_;
  const RunConfig& config_;
  Engine& engine_;
  CheckpointPolicy checkpoint_policy_;
  std::optional<Evaluator> evaluator_; // once there is something to evaluate
  std::optional<Evaluation> evaluation_;
  int64_t evaluated_at_ = -1;  // rounds
  std::vector<double> losses_; // of the last round
  ProgressPace progress_pace_;
};

} // namespace grapevine::run
