// An asynchronous run on the virtual cluster: sim/virtual_gossip.h with
// real models and data, from the first event (or a checkpoint) to the result.
//
// A *round* is n gradients, whoever computed them: what a step is elsewhere in
// records, schedules and lengths. The learning rate follows the rounds; batches
// are by each worker's own count. All n rounds' gradients are done when the
// last event is over; then the replicas are evaluated as they are, and averaged
// once, which is what the run leaves.
//
// Evaluations, probes and checkpoints look at the replicas between two events
// and change nothing: the result does not depend on them, nor on the threads
// that compute gradients ahead.
#pragma once

#include "base/job_queue.h"
#include "mix/attachment.h"
#include "mix/cluster.h"
#include "record/checkpoint.h"
#include "record/record_writer.h"
#include "record/run_directory.h"
#include "run/batch_pool.h"
#include "run/best.h"
#include "run/evaluator.h"
#include "run/gossip_config.h"
#include "run/progress_pace.h"
#include "run/run_clock.h"
#include "run/run_config.h"
#include "run/timeline_record.h"
#include "run/trainer.h"
#include "run/worker.h"
#include "sim/virtual_gossip.h"

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace grapevine::run {

class VirtualGossipRun : private sim::VirtualGossipHost {
 public:
  // As Run; the cluster is a virtual one.
  VirtualGossipRun(
      const RunConfig& config,
      mix::Cluster& cluster,
      record::RunDirectory directory,
      int attempt,
      const TrainHooks& hooks);
  ~VirtualGossipRun() override;

  TrainResult run();

 private:
  // Shows the replicas where the models' snapshots are, for whoever looks at
  // the arenas' parameters; no gradient is under way meanwhile.
  class Shown {
   public:
    explicit Shown(VirtualGossipRun& run);
    ~Shown() { swap(); }
    Shown(const Shown&) = delete;
    Shown& operator=(const Shown&) = delete;

   private:
    void swap();

    VirtualGossipRun& run_;
  };

  void begin_gradient(int worker, int64_t gradient) override;
  algo::StepInfo finish_gradient(int worker, int64_t gradient, int64_t done)
      override;
  void gradient_done(int worker, int64_t gradient, int64_t done) override;
  void pair_done(int a, int b, double since) override;
  void compute(int worker, int64_t gradient);

  int64_t rounds() const { return engine_->gradients() / cluster_.size(); }
  // What is done after a round; why to stop, if at all.
  std::optional<Outcome> end_round();
  // Where it changes with the rounds.
  // flowed_until: the moment, in a worker's units, up to which the constants of
  // before hold for its replica.
  void follow_graph(const std::function<double(int)>& flowed_until);
  void record_round();
  void record_timelines();
  void probe();
  void record_gossip(double consensus_distance);
  void record_pairs();
  double shown_distance(); // of the replicas from consensus
  void evaluate();
  void average();
  TrainResult finish(Outcome outcome);
  bool checkpoint_is_due();
  void checkpoint();
  void resume();
  void restore(const record::CheckpointInfo& checkpoint);
  mix::Traffic traffic() const;
  std::optional<double> virtual_seconds() const;
  double training_seconds() const { return time_.training_seconds(); }
  void report_progress(const std::string& phase, bool force);

  const RunConfig& config_;
  mix::Cluster& cluster_;
  record::RunDirectory directory_;
  record::Checkpoints checkpoints_;
  const TrainHooks& hooks_;
  int attempt_;
  ChangingGraph graph_;
  double degree_ = 0;
  std::vector<Worker> workers_;
  std::unique_ptr<Worker> spare_; // holds the averaged model
  std::optional<mix::Attachment> attachment_;
  std::vector<std::unique_ptr<gossip::Replica>> replicas_;
  std::unique_ptr<sim::VirtualGossip> engine_;
  std::unique_ptr<Evaluator> evaluator_;
  std::unique_ptr<record::RecordWriter> records_;
  BatchPool batches_;

  std::vector<double> losses_;            // of each worker's last gradient
  std::vector<double> round_losses_;      // of those that are done
  std::vector<double> epoch_losses_;      // means over the rounds of the epoch
  double lr_ = 0;                         // of the last gradient
  double last_train_loss_ = std::nan(""); // before the end of an epoch
  int64_t rounds_seen_ = 0;
  bool restores_ = false; // gradients under way are there already
  std::optional<Evaluation> evaluation_;
  int64_t evaluated_at_ = -1; // rounds
  std::optional<Best> best_;  // where the spec asks for it
  mix::Traffic last_traffic_;
  // Of each worker, in rounds that are traced; in virtual time.
  std::vector<std::vector<TimelineRow>> timelines_;

  RunClock time_;
  ProgressPace progress_pace_;
  std::unique_ptr<JobQueue> jobs_; // last: they use the others
};

} // namespace grapevine::run
