// Asynchronous workers of one process, in virtual time: sim/virtual_gossip.h
// with real models and data.
//
// A round is n gradients, whoever computed them. The learning rate follows the
// rounds; batches are by each worker's own count. The last event is over when
// all rounds' gradients are done; then the replicas are evaluated as they are,
// and averaged once, which is what the run leaves.
//
// Evaluations, probes and checkpoints look at the replicas between two events
// and change nothing: the result does not depend on them, nor on the threads
// that compute gradients ahead.
#pragma once

#include "base/job_queue.h"
#include "mix/cluster.h"
#include "run/batch_pool.h"
#include "run/changing_graph.h"
#include "run/context.h"
#include "run/engine.h"
#include "sim/virtual_gossip.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace grapevine::run {

class VirtualTimeEngine : public Engine, private sim::VirtualGossipHost {
 public:
  // Both are borrowed; the cluster is a virtual one.
  VirtualTimeEngine(RunContext& context, mix::Cluster& cluster);
  ~VirtualTimeEngine() override;

  void resume() override;
  int64_t rounds() const override;
  double degree() const override { return degree_; }
  mix::Traffic traffic() const override;
  std::string transport() const override { return cluster_.transport_name(); }
  std::optional<Round> advance() override;
  Verdict agree(const Wishes& wishes, const Round& round) override;
  double epoch_loss(const std::vector<double>& sums, int64_t rounds) override;
  mix::Cluster* cluster() override { return &cluster_; }
  void show() override;
  void hide() override;
  std::vector<mix::StepMeasures::Squares> squares() override;
  void log_probe(const Round& round, std::optional<double> distance) override;
  void log_epoch() override;
  void write_checkpoint(nlohmann::json state) override;
  TrainResult end(Outcome outcome, const Finish& finish) override;
  void log_end(double distance) override;
  void average(std::span<const float> mean) override;

 private:
  void begin_gradient(int worker, int64_t gradient) override;
  algo::StepInfo finish_gradient(int worker, int64_t gradient, int64_t done)
      override;
  void gradient_done(int worker, int64_t gradient, int64_t done) override;
  void pair_done(int a, int b, double since) override;
  void compute(int worker, int64_t gradient);

  Round finish_round();
  // Follows a graph that changes with the rounds. flowed_until: the moment, in
  // a worker's units, up to which its replica flows by the constants of before.
  void follow_graph(const std::function<double(int)>& flowed_until);
  void follow_graph();
  std::vector<gossip::Statistics> statistics() const;
  void restore(const record::CheckpointInfo& checkpoint);
  std::optional<double> virtual_seconds() const;

  RunContext& context_;
  const RunConfig& config_;
  mix::Cluster& cluster_;
  mix::Attachment attachment_;
  ChangingGraph graph_;
  double degree_ = 0;
  std::vector<std::unique_ptr<gossip::Replica>> replicas_;
  std::unique_ptr<sim::VirtualGossip> events_;
  BatchPool batches_;

  std::vector<double> losses_;       // of each worker's last gradient
  std::vector<double> round_losses_; // of those that are done
  double lr_ = 0;                    // of the last gradient
  int64_t rounds_seen_ = 0;
  bool restores_ = false; // gradients in progress are there already
  // Of each worker, in rounds that are traced; in virtual time.
  std::vector<std::vector<TimelineRow>> timelines_;

  std::unique_ptr<JobQueue> jobs_; // last: they use the others
};

} // namespace grapevine::run
