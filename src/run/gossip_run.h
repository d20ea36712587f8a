// One worker of an asynchronous run, in a process of its own: computes
// gradients without waiting, while a thread averages with neighbours
// (gossip/averager.h).
//
// The learning rate follows the gradients that all workers are known to have
// computed, a *round* being n of them; batches and records go by the worker's
// own count. At the end those that live come together, evaluate their replicas
// as they are, and average them once; any of them may be missing, the first
// one included, and a worker that returns while the others go on joins them
// with its checkpoint or with a neighbour's values.
#pragma once

#include "gossip/averager.h"
#include "gossip/replica.h"
#include "member/edges.h"
#include "mix/cluster.h"
#include "record/checkpoint.h"
#include "record/record_writer.h"
#include "record/run_directory.h"
#include "record/spans.h"
#include "run/best_replica.h"
#include "run/evaluator.h"
#include "run/gossip_config.h"
#include "run/progress_pace.h"
#include "run/run_clock.h"
#include "run/run_config.h"
#include "run/stopwatch.h"
#include "run/trainer.h"
#include "run/worker.h"

#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace grapevine::run {

struct GossipRunOptions {
  int attempt = 0;
  bool returns = false; // the others have begun without this worker
  bool resumes = false; // some worker has a checkpoint to go on from
  // Called on one process, before any leaves: the result is complete there.
  std::function<void(const TrainResult&)> keep_result = nullptr;
};

class GossipRun {
 public:
  // Everything but the directory is borrowed.
  GossipRun(
      const RunConfig& config,
      member::Edges& edges,
      record::RunDirectory directory,
      GossipRunOptions options,
      const TrainHooks& hooks);
  ~GossipRun();

  // To the end, with all that live. The result is complete where it says so
  // (TrainResult::is_complete): on one process.
  TrainResult run();

 private:
  void restore();
  void train_step();
  // round: that the gradient fell into, as far as was known here.
  void record_step(int64_t round, double lr);
  void record_membership();
  void record_gossip(int64_t step, double rounds, bool is_last);
  void record_last_gossip();
  void record_spans(); // since the last time
  void record_timeline(int64_t step);
  void take_values();
  void look_for_the_others();
  void probe();
  bool probe_is_due();
  void record_attempt();
  void begin_evaluation();
  void
  evaluate_copy(const graph::StepTime& moment, int64_t round, double seconds);
  // What has ended an evaluation that is over.
  void check_evaluation() const;
  void checkpoint();
  bool checkpoint_is_due();
  // Of the run, as far as it is known here.
  int64_t rounds() const;
  double exact_rounds() const;
  double training_seconds() const { return time_.training_seconds(); }
  void report_progress(const std::string& phase, bool force);

  TrainResult finish();
  // Over those that have come together.
  TrainResult finish_with(
      mix::Cluster& cluster,
      const std::vector<int>& members);
  // The best of all workers' best replicas, of which each row tells, and of
  // their average, which the spare worker holds.
  void
  keep_best(mix::Cluster& cluster, const mix::Rows& rows, TrainResult& result);
  // That are averaged at the end, too.
  std::vector<algo::Plane> planes_beside_parameters() const;
  // Those that came back too late to be given values have none to show.
  void replace_worse_values(mix::Cluster& cluster, const mix::Rows& rows);
  void store_result(
      mix::Cluster& cluster,
      const std::vector<int>& members,
      int64_t step);
  void leave(mix::Cluster& cluster);
  double train_loss() const; // NaN before the first gradient

  const RunConfig& config_;
  member::Edges& edges_;
  int rank_;
  record::RunDirectory directory_;
  record::Checkpoints checkpoints_;
  GossipRunOptions options_;
  const TrainHooks& hooks_;
  ChangingGraph graph_;
  double degree_ = 0;
  std::vector<Worker> workers_; // the one
  std::unique_ptr<Worker> spare_;
  std::unique_ptr<gossip::Replica> replica_;
  std::unique_ptr<gossip::Averager> averager_;
  std::unique_ptr<record::RecordWriter> records_;
  std::unique_ptr<EvaluationSet> subset_;
  std::unique_ptr<BestReplica> best_; // where the spec asks for it
  data::Batch batch_;
  record::Spans spans_;
  double last_pair_seconds_ = 0;
  int64_t probed_period_ = -1; // rounds / probe-every, when last probed

  std::vector<int64_t> counts_before_; // of all workers, from a checkpoint
  int64_t gradients_ = 0;              // of this worker, earlier lives included
  bool has_checkpoint_ = false;        // and began with its values
  bool is_fresh_ = false; // a neighbour's values are better than its own
  bool diverged_ = false;
  bool interrupted_ = false;
  double loss_ = 0;
  double epoch_loss_ = 0; // sum over the gradients of its epoch
  int64_t epoch_gradients_ = 0;
  double last_train_loss_ = std::nan(""); // of an epoch; none so far
  // Of this worker's earlier processes.
  int64_t earlier_messages_ = 0;
  int64_t earlier_bytes_ = 0;
  int64_t last_messages_ = 0;
  int64_t last_bytes_ = 0;
  std::optional<Evaluation> evaluation_;
  RunClock time_;
  ProgressPace progress_pace_;
  Stopwatch since_look_;

  // Evaluates a copy of the replica while training goes on.
  std::atomic<bool> evaluates_ = false;
  std::exception_ptr evaluation_error_; // the evaluation's while it runs
  std::jthread evaluation_thread_;      // last: it uses the others
};

} // namespace grapevine::run
