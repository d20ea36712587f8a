// The end of an asynchronous run: those that live come together.
#include "base/error.h"
#include "mix/invariants.h"
#include "run/gossip_config.h"
#include "run/gossip_row.h"
#include "run/gossip_run.h"
#include "run/planes.h"
#include "run/report_result.h"
#include "run/run_records.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace grapevine::run {

std::vector<algo::Plane> GossipRun::planes_beside_parameters() const {
  std::vector<algo::Plane> planes = {algo::Plane::kBuffers};
  if (config_.has_moving_average()) {
    planes.push_back(algo::Plane::kMovingAverage);
  }
  return planes;
}

TrainResult GossipRun::finish() {
  const auto deadline = std::chrono::duration<double>(config_.spec.deadline);
  // Of the planes that a try changes and the next must find as they were.
  std::map<algo::Plane, std::vector<float>> before;
  for (const auto plane : planes_beside_parameters()) {
    const auto values = algo::plane_of(workers_[0].arena(), plane);
    before[plane].assign(values.begin(), values.end());
  }
  while (true) {
    // Who still waits for the goodbye of one that is lost comes a deadline
    // later than the others.
    member::Gathering gathering = edges_.gather(Deadline::after(2 * deadline));
    mix::CommunicatorOptions options;
    options.deadline = deadline;
    options.chunk_bytes = config_.spec.bucket_bytes;
    const auto cluster =
        mix::make_process_cluster(std::move(gathering.transport), options);
    try {
      return finish_with(*cluster, gathering.members);
    } catch (const TransportError&) {
      // Somebody died at the very end. What was left to do was to leave; else
      // the rest gathers again, for as long as it finds that worthwhile, and
      // begins with what it had.
      if (const auto result =
              result_without_it(edges_, directory_, config_.spec, hooks_)) {
        return *result;
      }
      if (!edges_.survives_loss()) throw;
    }
    for (const auto& [plane, values] : before) {
      const auto now = algo::plane_of(workers_[0].arena(), plane);
      std::ranges::copy(values, now.begin());
    }
  }
}

TrainResult GossipRun::finish_with(
    mix::Cluster& cluster,
    const std::vector<int>& members) {
  tensor::Arena& arena = workers_[0].arena();
  replica_->copy_to(averager_->units(), arena.parameters());
  cluster.attach({&arena});
  const Best best = best_ ? best_->best() : Best(0);
  // What this worker has of its own where nobody gave it anything.
  const double before = has_checkpoint_ ? kOld : kNone;
  const gossip::Statistics statistics = averager_->statistics();
  const bool has_own_statistics =
      !is_fresh_ || statistics.gradients >= kGradientsForStatistics;
  std::vector<double> row = {
      interrupted_ ? 1.0 : 0.0,
      diverged_ ? 1.0 : 0.0,
      best.gives_up() ? 1.0 : 0.0,
      static_cast<double>(earlier_messages_ + averager_->messages()),
      static_cast<double>(earlier_bytes_ + averager_->bytes()),
      static_cast<double>(statistics.gradients),
      static_cast<double>(statistics.averagings),
      time_.total_seconds(),
      training_seconds(),
      train_loss(),
      static_cast<double>(best.epoch()),
      best.quality().accuracy,
      best.quality().loss,
      averager_->is_fresh() ? before : kCurrent,
      has_own_statistics ? kCurrent : before};
  std::ranges::copy(averager_->counts(), std::back_inserter(row));
  const mix::Rows rows = cluster.all_gather({std::move(row)});
  if (best_values(rows, kValues) == kNone) {
    throw Error("all workers have come back without values: nothing is left");
  }
  replace_worse_values(cluster, rows);
  const double gradients = total_gradients(rows, config_.spec.n);
  // A worker that was started again without a checkpoint knows of less.
  time_.raise_to(most(rows, kSeconds), most(rows, kTrainingSeconds));
  TrainResult result;
  result.run = directory_.path().string();
  const auto wanted = static_cast<double>(config_.spec.n * config_.total_steps);
  result.outcome = sum(rows, kDiverged) > 0 ? Outcome::kDiverged
                   : sum(rows, kInterrupted) > 0 && gradients < wanted
                       ? Outcome::kInterrupted
                       : Outcome::kCompleted;
  result.steps = std::llround(gradients) / config_.spec.n;
  result.epochs = result.steps / config_.steps_per_epoch();
  result.train_loss =
      result.outcome == Outcome::kDiverged ? std::nan("") : mean_loss(rows);
  result.messages = std::llround(sum(rows, kMessages));
  result.bytes = std::llround(sum(rows, kBytes));
  add_rate(sum(rows, kAveragings), sum(rows, kGradients), config_, result);
  if (result.outcome == Outcome::kInterrupted) {
    checkpoint();
    time_.pause_training();
  } else {
    report_progress("evaluating", true);
    Evaluator evaluator(
        cluster,
        workers_,
        *spare_,
        *config_.dataset.test,
        evaluator_options(config_));
    evaluation_ = evaluator.evaluate();
    evaluator.translate(*evaluation_);
    if (cluster.is_root()) {
      records_->append(evaluation_record(
          *evaluation_,
          config_.moment(std::max<int64_t>(result.steps - 1, 0)),
          training_seconds(),
          result.train_loss));
    }
  }
  add_evaluation(evaluation_, result);
  // Leaves the mean in the spare worker.
  result.consensus_distance =
      consensus_distance(cluster, workers_, spare_->arena().parameters());
  if (result.outcome == Outcome::kCompleted) {
    // The run's last exchange: all replicas become their mean.
    std::ranges::copy(spare_->arena().parameters(), arena.parameters().begin());
    if (config_.spec.check) {
      mix::check_replicas_equal(
          arena.layout(),
          cluster.all_gather(
              {mix::tensor_fingerprints(arena.layout(), arena.parameters())}),
          result.steps);
    }
    // A worker that was lost may have taken some of the last gradients along,
    // but the run is at its end unless it was cut short.
    const bool is_short = sum(rows, kGaveUp) > 0;
    store_result(
        cluster,
        members,
        is_short ? std::min(result.steps, config_.total_steps)
                 : config_.total_steps);
    if (best_) keep_best(cluster, rows, result);
  }
  result.parameters_sha256 = cluster.parameters_sha256();
  records_->append(
      {{"type", "end"},
       {"members", members},
       {"gradients", averager_->counts()}});
  records_->flush();
  result.seconds = time_.total_seconds();
  result.samples_per_second =
      training_seconds() > 0
          ? gradients * static_cast<double>(config_.spec.batch) /
                training_seconds()
          : 0;
  if (cluster.is_root()) {
    if (options_.keep_result) options_.keep_result(result);
    result.is_complete = edges_.conclude().value_or(true);
    report_result(result, hooks_);
  }
  leave(cluster);
  return result;
}

// Over its last gradients, an epoch of them: what the unfinished epoch lacks
// counts as the mean of the one before.
double GossipRun::train_loss() const {
  const auto done = static_cast<double>(epoch_gradients_);
  if (std::isnan(last_train_loss_)) {
    return done > 0 ? epoch_loss_ / done : last_train_loss_;
  }
  const auto whole = static_cast<double>(config_.steps_per_epoch());
  return (epoch_loss_ + (whole - done) * last_train_loss_) / whole;
}

// Nobody before the result is kept, by the first. Once it is, who is missing is
// of no importance.
void GossipRun::leave(mix::Cluster& cluster) {
  try {
    cluster.barrier();
  } catch (const TransportError&) {
    if (!cluster.is_root() && !edges_.is_concluded()) throw;
  }
}

// What follows the weights is as good as they are; statistics of batch norms
// are the worker's own.
void GossipRun::replace_worse_values(
    mix::Cluster& cluster,
    const mix::Rows& rows) {
  tensor::Arena& arena = workers_[0].arena();
  std::vector<algo::Plane> weights = {algo::Plane::kParameters};
  if (config_.has_moving_average()) {
    weights.push_back(algo::Plane::kMovingAverage);
  }
  replace_worse(cluster, rows, kValues, arena, weights);
  replace_worse(cluster, rows, kStatistics, arena, {algo::Plane::kBuffers});
}

void GossipRun::keep_best(
    mix::Cluster& cluster,
    const mix::Rows& rows,
    TrainResult& result) {
  Best best(0);
  int whose = -1; // the average's
  for (int i = 0; i < cluster.size(); ++i) {
    const auto epoch = std::llround(rows[i][kBestEpoch]);
    if (epoch == 0) continue;
    const Quality quality{
        .accuracy = rows[i][kBestAccuracy],
        .loss = rows[i][kBestLoss],
        .is_text = config_.dataset.test->has_tokens()};
    if (best.offer(quality, epoch)) whose = i;
  }
  const int64_t last =
      config_.moment(std::max<int64_t>(result.steps - 1, 0)).epoch + 1;
  if (best.offer(quality_of_mean(*evaluation_), last)) whose = -1;
  best.add_to(result);
  if (!config_.spec.keep_best) return;
  if (whose < 0) {
    if (!cluster.is_root()) return;
    write_best_model(directory_, config_, spare_->arena(), result.steps);
  } else if (cluster.hosted().front() == whose) {
    if (!best_->put_into(spare_->arena())) return;
    const int64_t steps = best.epoch() * config_.steps_per_epoch();
    write_best_model(directory_, config_, spare_->arena(), steps);
  }
}

// A checkpoint like that of any other run. Those who are missing are given the
// average, too: it is what all of them have.
void GossipRun::store_result(
    mix::Cluster& cluster,
    const std::vector<int>& members,
    int64_t step) {
  if (config_.spec.checkpoint_every < 0) return;
  const auto planes =
      planes_to_store(workers_[0].arena(), config_.state_planes());
  checkpoints_.write_worker(step, rank_, planes);
  if (cluster.is_root()) {
    for (int rank = 0; rank < config_.spec.n; ++rank) {
      if (!std::ranges::binary_search(members, rank)) {
        checkpoints_.write_worker(step, rank, planes);
      }
    }
  }
  cluster.barrier();
  if (!cluster.is_root()) return;
  checkpoints_.commit(step, config_.spec.n, {{"attempt", options_.attempt}});
}

} // namespace grapevine::run
