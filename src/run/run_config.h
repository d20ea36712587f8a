// What a spec means: the parts of a run, made and checked, before anything is
// written or anybody is talked to.
#pragma once

#include "algo/agreement.h"
#include "algo/local_rule.h"
#include "algo/lr_schedule.h"
#include "base/link_options.h"
#include "data/sharder.h"
#include "data/source.h"
#include "data/split.h"
#include "graph/schedule.h"
#include "run/worker.h"
#include "spec/spec.h"

#include <memory>
#include <string>
#include <vector>

namespace grapevine::run {

struct RunConfig {
  spec::Spec spec;
  data::Dataset dataset;
  std::shared_ptr<const data::Split> split; // null: iid
  std::shared_ptr<const data::Sharder> sharder;
  std::shared_ptr<const graph::Schedule> schedule;
  std::shared_ptr<const algo::LocalRule> rule;
  const algo::Agreement* agreement = nullptr;
  algo::LrOptions lr;
  int64_t total_steps = 0;
  SlowOptions slow;               // who is to compute slower than it could
  double checkpoint_seconds = 60; // between checkpoints by the clock

  // Workers take no steps together: run/engines/.
  bool is_asynchronous() const { return agreement->is_asynchronous(); }
  int64_t steps_per_epoch() const { return sharder->steps_per_epoch(); }
  graph::StepTime moment(int64_t step) const {
    return {
        .step = step,
        .epoch = step / steps_per_epoch(),
        .epochs_done =
            static_cast<double>(step) / static_cast<double>(steps_per_epoch())};
  }
  // Whether texts are read on from step to step: the model carries state.
  bool in_streams = false;
  // A worker's batch at a step, for training. Asynchronous: for its own
  // gradient with that number, and on beyond the run's steps.
  void gather(int worker, int64_t step, data::Batch& batch) const;
  // How its gradient is computed then, but for what is only the run's.
  GradientOptions gradient_options(int worker, int64_t step) const;
  // What its loss counts then, by the samples of its batch: 1 but for the last
  // step of an epoch with partial batches.
  double batch_weight(int64_t step, int64_t samples) const;
  // Samples of all workers in a step.
  int64_t samples_in_step(int64_t step) const {
    return sharder->samples_in_step(
        step / steps_per_epoch(),
        step % steps_per_epoch());
  }
  bool is_probed(int64_t step) const {
    return spec.probe_every > 0 && step % spec.probe_every == 0;
  }
  bool has_moving_average() const { return spec.ema > 0; }
  // Of a worker, by their names in checkpoints: the local rule's, what the
  // agreement keeps beside them, and the moving average of the weights.
  std::vector<std::string> state_planes() const;
  // Of a replica of this run.
  WorkerOptions worker_options() const;
  // Of one that does not train: without the state of the local rule.
  WorkerOptions spare_options() const;
};

// How the training samples of a spec are dealt.
data::ShardOptions shard_options(
    const spec::Spec& spec,
    std::shared_ptr<const data::Split> split);

// data_path: where data sets are looked for (data/locate.h). Throws
// ConfigError and IoError.
RunConfig make_run_config(
    const spec::Spec& spec,
    const std::vector<std::string>& data_path);
// With the spec's data set, which has been loaded already.
RunConfig make_run_config_with(const spec::Spec& spec, data::Dataset dataset);

} // namespace grapevine::run
