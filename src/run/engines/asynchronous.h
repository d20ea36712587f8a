// One worker of an asynchronous run, in a process of its own: computes
// gradients without waiting, while a thread averages with neighbours
// (gossip/averager.h).
//
// The learning rate follows the gradients that all workers are known to have
// computed; batches and records go by the worker's own count. At the end those
// that live come together, evaluate their replicas as they are, and average
// them once; any of them may be missing, the first one included, and a worker
// that returns while the others go on joins them with its checkpoint or with a
// neighbour's values.
#pragma once

#include "gossip/averager.h"
#include "gossip/replica.h"
#include "member/edges.h"
#include "mix/cluster.h"
#include "run/changing_graph.h"
#include "run/context.h"
#include "run/engine.h"
#include "run/final_report.h"

#include <atomic>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace grapevine::run {

struct AsynchronousOptions {
  bool returns = false; // the others have begun without this worker
  bool resumes = false; // some worker has a checkpoint to resume from
  // Called on one process, before any leaves: the result is complete there.
  std::function<void(const TrainResult&)> keep_result = nullptr;
};

class AsynchronousEngine : public Engine {
 public:
  // All borrowed but the options; the context is that of one worker.
  AsynchronousEngine(
      RunContext& context,
      member::Edges& edges,
      AsynchronousOptions options);
  ~AsynchronousEngine() override;

  void resume() override;
  void begin() override;
  int64_t rounds() const override { return gradients_; }
  int64_t rounds_of_run() const override;
  double degree() const override { return degree_; }
  mix::Traffic traffic() const override;
  std::string transport() const override { return edges_.name(); }
  std::optional<Round> advance() override;
  Verdict agree(const Wishes& wishes, const Round& round) override;
  double epoch_loss(const std::vector<double>& sums, int64_t rounds) override;
  // At the end: of those that have come together.
  mix::Cluster* cluster() override { return cluster_.get(); }
  std::vector<mix::StepMeasures::Squares> squares() override;
  // A copy of the replica, on a thread of its own; none is begun while another
  // is in progress.
  void evaluate_apart(const Round& round) override;
  void log_probe(const Round& round, std::optional<double> distance) override;
  void log_epoch() override;
  void write_checkpoint(nlohmann::json state) override;
  // The result is complete where it says so: on one process.
  TrainResult end(Outcome outcome, const Finish& finish) override;
  void average(std::span<const float> mean) override;
  void store_result(const nlohmann::json& state) override;

 private:
  using Planes = std::map<algo::Plane, std::vector<float>>;

  void restore();
  void take_values();
  void look_for_the_others();
  void compute_gradient();
  // Lets the local rule act; returns the learning rate.
  double move_replica(int64_t round);
  // Does what is left after a gradient has been recorded.
  void finish_gradient();
  double exact_rounds() const;
  std::optional<int64_t> probe_number();
  void
  evaluate_copy(const graph::StepTime& moment, int64_t round, double seconds);
  // Throws what has ended an evaluation.
  void check_evaluation() const;
  record::Spans& spans() { return context_.spans[0]; }
  tensor::Arena& arena() { return context_.workers[0].arena(); }
  void log_gossip(int64_t step, double rounds, bool is_last);
  void log_timeline(int64_t step);

  void stop_averaging();
  // The end, over those that have come together.
  TrainResult finish_together(Outcome outcome, const Finish& finish);
  FinalReport report(Outcome outcome) const;
  Ending ending_of(const FinalReports& reports) const;
  // Makes the best of all workers' best replicas that of the run.
  void share_best(const FinalReports& reports);
  // Writes it down, where this worker has it.
  void store_best();
  // Workers that came back too late to be given values take the others'.
  void replace_worse_values(const FinalReports& reports);
  // Waits until the first worker has kept the result.
  void leave(TrainResult& result);
  // The planes beside the parameters that are averaged at the end, too.
  Planes copy_planes();
  double train_loss() const; // NaN before the first gradient

  RunContext& context_;
  const RunConfig& config_;
  member::Edges& edges_;
  AsynchronousOptions options_;
  const int rank_;
  ChangingGraph graph_;
  double degree_ = 0;
  gossip::Replica replica_;
  std::unique_ptr<gossip::Averager> averager_;
  std::unique_ptr<EvaluationSet> subset_; // where replicas are evaluated
  data::Batch batch_;
  double last_pair_seconds_ = 0;
  int64_t probed_period_ = -1; // rounds / probe-every, when last probed

  std::vector<int64_t> counts_before_; // of all workers, from a checkpoint
  int64_t gradients_ = 0;              // of this worker, earlier lives included
  bool is_unfinished_ = false;         // finish_gradient has yet to be called
  bool has_checkpoint_ = false;        // and began with its values
  bool is_fresh_ = false; // a neighbour's values are better than its own
  double loss_ = 0;
  mix::Traffic earlier_traffic_; // of this worker's earlier processes
  Stopwatch since_look_;

  // At the end.
  std::unique_ptr<mix::Cluster> cluster_;
  std::vector<int> members_;
  double final_loss_ = 0;
  int64_t stored_step_ = 0;
  // The best replica, if it is this worker's.
  std::optional<Best::State> best_replica_;

  // Evaluates a copy of the replica while training goes on.
  std::atomic<bool> evaluates_ = false;
  std::exception_ptr evaluation_error_; // the evaluation's while it runs
  std::jthread evaluation_thread_;      // last: it uses the others
};

// Returns what an asynchronous run has come to, where it is at its end without
// this process; else nothing. Told here if no other process is known to do so.
std::optional<TrainResult> result_without_it(
    member::Edges& edges,
    const record::RunDirectory& directory,
    const spec::Spec& spec,
    const TrainHooks& hooks);

} // namespace grapevine::run
