// What a spec means: the parts of a run, made and checked, before anything is
// written or anybody is talked to.
#pragma once

#include "algo/agreement.h"
#include "data/sharder.h"
#include "data/source.h"
#include "data/split.h"
#include "graph/schedule.h"
#include "optim/local_rule.h"
#include "optim/lr_schedule.h"
#include "spec/spec.h"
#include "train/worker.h"
#include "transport/link_options.h"

#include <memory>
#include <string>
#include <vector>

namespace grapevine::train {

struct Setup {
  spec::Spec spec;
  data::Dataset dataset;
  std::shared_ptr<const data::Split> split; // null: iid
  std::shared_ptr<const data::Sharder> sharder;
  std::shared_ptr<const graph::Schedule> schedule;
  std::shared_ptr<const optim::LocalRule> rule;
  std::unique_ptr<algo::Agreement> agreement; // none where asynchronous
  optim::LrOptions lr;
  int64_t total_steps = 0;
  transport::SlowOptions slow; // who is to compute slower than it could

  // Workers take no steps together: train/gossip_run.h.
  bool is_asynchronous() const { return spec.agreement == "gossip"; }
  int64_t steps_per_epoch() const { return sharder->steps_per_epoch(); }
  graph::Moment moment(int64_t step) const {
    return {
        .step = step,
        .epoch = step / steps_per_epoch(),
        .epochs_done =
            static_cast<double>(step) / static_cast<double>(steps_per_epoch())};
  }
  // Samples that all workers together use in a step; fewer than n * batch in
  // a last, partial step of an epoch.
  int64_t samples_in_step(int64_t step) const;
  // What a batch counts for: 1, unless the step is partial; then its share of
  // the step's samples times n, so that the mean over workers is the mean
  // over samples.
  double batch_weight(int64_t step, int64_t samples) const;
  // Of a worker, by their names in checkpoints: the local rule's, and what the
  // agreement keeps beside them.
  std::vector<std::string> state_planes() const {
    return agreement ? agreement->state_planes() : rule->state_planes();
  }
  // Of a replica of this run.
  WorkerOptions worker_options() const;
  // Of one that does not train: without the state of the local rule.
  WorkerOptions spare_options() const;
};

// data_path: where data sets are looked for (data/data_path.h). Throws
// ConfigError and IoError.
Setup make_setup(
    const spec::Spec& spec,
    const std::vector<std::string>& data_path);

} // namespace grapevine::train
