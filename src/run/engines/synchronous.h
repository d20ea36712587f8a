// All workers take each step together: mix/stepper.h, in one process or in
// many.
#pragma once

#include "algo/ada_control.h"
#include "data/loader.h"
#include "mix/cluster.h"
#include "mix/stepper.h"
#include "run/batch_pool.h"
#include "run/context.h"
#include "run/engine.h"
#include "run/virtual_watch.h"
#include "sim/model.h"

#include <memory>
#include <optional>
#include <vector>

namespace grapevine::run {

class SynchronousEngine : public Engine, private mix::StepObserver {
 public:
  // Both are borrowed; the context is that of the workers hosted there.
  SynchronousEngine(RunContext& context, mix::Cluster& cluster);
  ~SynchronousEngine() override;

  void resume() override;
  void begin() override;
  int64_t rounds() const override { return step_; }
  double degree() const override;
  mix::Traffic traffic() const override { return cluster_.traffic(); }
  std::string transport() const override { return cluster_.transport_name(); }
  std::optional<Round> advance() override;
  Verdict agree(const Wishes& wishes, const Round& round) override;
  double epoch_loss(const std::vector<double>& sums, int64_t rounds) override;
  mix::Cluster* cluster() override { return &cluster_; }
  std::vector<mix::StepMeasures::Squares> squares() override;
  void log_epoch() override;
  void write_checkpoint(nlohmann::json state) override;
  TrainResult end(Outcome outcome, const Finish& finish) override;
  void log_end(double distance) override;

 private:
  void compute_gradient(int index, mix::GradientListener* listener);
  void count_times();
  // The step's moment, with the k that an AdaControl has chosen.
  graph::StepTime moment() const;
  void observe_spread();
  // Agrees on what the gathered rows of wishes say. looks: for divergence, too.
  Verdict decide(const mix::Rows& rows, bool looks);
  mix::Rows control_rows(const Wishes& wishes, bool is_due) const;
  // Of all processes, earlier attempts included.
  mix::Traffic total_traffic();
  void restore(const record::CheckpointInfo& checkpoint);

  // Records what is done when; returns whether this step is recorded.
  bool begin_timeline();
  void log_timeline();
  void log_waits(const graph::StepTime& moment);
  void updated(int index, int bucket, mix::Clock::time_point begin) override;
  void waited(int index, int bucket, mix::Clock::time_point begin, int peer)
      override;

  RunContext& context_;
  const RunConfig& config_;
  mix::Cluster& cluster_;
  mix::Attachment attachment_;
  mix::Stepper stepper_;
  std::unique_ptr<data::Loader> loader_; // from the first step on
  BatchPool batches_;                    // as many as compute at once
  std::vector<double> losses_;           // of each hosted worker, last step
  std::optional<algo::AdaControl> ada_;  // with ada = auto
  // On the process that hosts worker 0, where the spec has one.
  std::unique_ptr<sim::RuntimeModel> clock_;
  // Where all workers are virtual and so is their time.
  std::unique_ptr<VirtualWatch> watch_;

  int64_t step_ = 0; // done
  mix::Traffic earlier_traffic_;
  double last_exchange_seconds_ = 0;
  double last_wait_seconds_ = 0;
  std::vector<double> last_waits_; // by peer
  int64_t control_every_ = 1;      // steps, as the first process sees it
  // A gather is in progress, and whether it looks for divergence, too.
  std::optional<bool> looks_later_;
};

} // namespace grapevine::run
