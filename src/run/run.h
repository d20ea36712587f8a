// A synchronous run of one process, from the first step (or a checkpoint) to
// the result. The loop is Run::run in run.cpp; what it calls is there and in
// run_checkpoint, run_evaluation, run_probe and run_timeline.
#pragma once

#include "algo/ada_control.h"
#include "base/thread_pool.h"
#include "data/loader.h"
#include "mix/attachment.h"
#include "mix/cluster.h"
#include "mix/stepper.h"
#include "record/checkpoint.h"
#include "record/record_writer.h"
#include "record/run_directory.h"
#include "record/spans.h"
#include "run/batch_pool.h"
#include "run/best.h"
#include "run/evaluator.h"
#include "run/progress_pace.h"
#include "run/run_clock.h"
#include "run/run_config.h"
#include "run/trainer.h"
#include "run/virtual_watch.h"
#include "run/worker.h"
#include "sim/model.h"

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace grapevine::run {

class Run : private mix::StepObserver {
 public:
  // Makes the workers and takes up the newest usable checkpoint, if any.
  // `attempt` is above that of any attempt that has left records. Collective.
  // Everything but the directory is borrowed.
  Run(const RunConfig& config,
      mix::Cluster& cluster,
      record::RunDirectory directory,
      int attempt,
      const TrainHooks& hooks);
  ~Run() override;

  // To the end, or to an interruption. Collective; the result is complete on
  // the process that hosts worker 0.
  TrainResult run();

 private:
  void resume();
  // What stands in the way on any process; empty where nothing does.
  std::string restore(const record::CheckpointInfo& checkpoint);
  void restore_state(const nlohmann::json& state);
  void checkpoint();
  bool checkpoint_is_due(bool epoch_ended);

  void train_step();
  // Of a hosted worker; side by side.
  void compute_gradient(int index, mix::GradientListener* listener);
  void record_step(double lr, double degree);
  // The step's moment, with the k that an AdaControl has chosen.
  graph::StepTime moment() const;
  void probe();
  void observe_spread();
  void finish_epoch();
  void record_spans(); // since the last time
  void record_waits();
  // What is done when (run_timeline.cpp); whether it is of interest now.
  bool opens_timeline();
  void record_timeline();
  void updated(int index, int bucket, mix::Clock::time_point begin) override;
  void waited(int index, int bucket, mix::Clock::time_point begin, int peer)
      override;
  void evaluate();
  // Agrees with the other processes on whether and why to stop here.
  std::optional<Outcome> stop_reason(bool epoch_ended);
  // What each hosted worker has to say to that, and what follows from it;
  // `looks`: for divergence, too.
  mix::Rows control_rows();
  std::optional<Outcome> decide(const mix::Rows& rows, bool looks);
  TrainResult finish(Outcome outcome);
  double training_seconds() const { return time_.training_seconds(); }
  void report_progress(const std::string& phase, bool force);

  const RunConfig& config_;
  mix::Cluster& cluster_;
  record::RunDirectory directory_;
  record::Checkpoints checkpoints_;
  const TrainHooks& hooks_;

  std::vector<Worker> workers_;
  std::unique_ptr<Worker> spare_; // holds the averaged model
  std::optional<mix::Attachment> attachment_;
  std::unique_ptr<mix::Stepper> stepper_;
  std::unique_ptr<Evaluator> evaluator_;
  std::unique_ptr<data::Loader> loader_;
  std::unique_ptr<record::RecordWriter> records_;
  BatchPool batches_; // as many as compute at once
  std::vector<record::Spans> spans_;
  std::optional<algo::AdaControl> ada_; // with ada = auto
  // On the process that hosts worker 0, where the spec has one.
  std::unique_ptr<sim::RuntimeModel> clock_;
  // Where all workers are virtual and so is their time.
  std::unique_ptr<VirtualWatch> watch_;

  int attempt_;
  int64_t step_ = 0;               // done
  std::vector<double> losses_;     // of each hosted worker, last step
  std::vector<double> epoch_loss_; // sums over the epoch so far
  // Mean over replicas and the last epoch; NaN before the end of one.
  double last_train_loss_ = std::nan("");
  std::optional<Evaluation> evaluation_;
  int64_t evaluated_at_ = -1; // step
  std::optional<Best> best_;  // where the spec asks for it

  // Carried over from earlier attempts, for the whole cluster.
  int64_t earlier_messages_ = 0;
  int64_t earlier_bytes_ = 0;
  mix::Traffic last_traffic_;
  double last_exchange_seconds_ = 0;
  double last_wait_seconds_ = 0;
  std::vector<double> last_waits_; // by peer

  RunClock time_;
  ProgressPace progress_pace_;
  int64_t control_every_ = 1; // steps, as the first process sees it
  // A gather is under way, and whether it is for divergence, too.
  std::optional<bool> looks_later_;
};

} // namespace grapevine::run
