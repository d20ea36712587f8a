// The end of an asynchronous run: those that live come together.
#include "base/error.h"
#include "cluster/invariants.h"
#include "train/gossip_run.h"
#include "train/gossip_setup.h"
#include "train/numbers.h"
#include "train/planes.h"
#include "train/run_opening.h"
#include "train/run_records.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace grapevine::train {
namespace {

// What each worker has to say at the end; a row of numbers.
enum Column {
  kInterrupted,
  kDiverged,
  kGaveUp,
  kMessages,
  kBytes,
  kSeconds,
  kTrainingSeconds,
  kLoss,      // NaN: of no gradient
  kBestEpoch, // 0: there is none
  kBestAccuracy,
  kBestLoss,
  kValues, // kCurrent, kOld or kNone
  kCounts  // and behind it: gradients of each worker of the run, as known here
};

// Of a worker's replica at the end; the smaller the better.
constexpr double kCurrent = 0;
constexpr double kOld = 1; // its last checkpoint's: nobody has given it others
constexpr double kNone = 2;

double sum(const cluster::Rows& rows, Column column) {
  double total = 0;
  for (const auto& row : rows)
    total += row[column];
  return total;
}

double most(const cluster::Rows& rows, Column column) {
  double most = 0;
  for (const auto& row : rows)
    most = std::max(most, row[column]);
  return most;
}

// Of those that have one: who came back at the very end has none.
double mean_loss(const cluster::Rows& rows) {
  std::vector<double> losses;
  for (const auto& row : rows) {
    if (!std::isnan(row[kLoss])) losses.push_back(row[kLoss]);
  }
  return mean_of(losses);
}

// By whoever knows most of it: a worker may be lost, or have come back without
// knowing what it had done.
double total_gradients(const cluster::Rows& rows, int workers) {
  double total = 0;
  for (int rank = 0; rank < workers; ++rank) {
    double most = 0;
    for (const auto& row : rows)
      most = std::max(most, row[kCounts + rank]);
    total += most;
  }
  return total;
}

} // namespace

std::vector<algo::Plane> GossipRun::planes_beside_parameters() const {
  std::vector<algo::Plane> planes = {algo::Plane::kBuffers};
  if (setup_.has_moving_average()) {
    planes.push_back(algo::Plane::kMovingAverage);
  }
  return planes;
}

TrainResult GossipRun::finish() {
  const auto deadline = std::chrono::duration<double>(setup_.spec.deadline);
  // Of the planes that a try changes and the next must find as they were.
  std::map<algo::Plane, std::vector<float>> before;
  for (const auto plane : planes_beside_parameters()) {
    const auto values = algo::plane_of(workers_[0].arena(), plane);
    before[plane].assign(values.begin(), values.end());
  }
  while (true) {
    // Who still waits for the goodbye of one that is lost comes a deadline
    // later than the others.
    transport::Gathering gathering =
        edges_.gather(Deadline::after(2 * deadline));
    comm::CommunicatorOptions options;
    options.deadline = deadline;
    options.chunk_bytes = setup_.spec.bucket_bytes;
    const auto cluster =
        cluster::make_process_cluster(std::move(gathering.transport), options);
    try {
      TrainResult result = finish_with(*cluster, gathering.members);
      edges_.conclude();
      return result;
    } catch (const TransportError&) {
      // Somebody died at the very end.
      if (!edges_.survives_loss()) throw;
    }
    // What was left to do was to leave; else the rest gathers again, for as
    // long as it finds that worthwhile, and begins with what it had.
    if (auto stored = stored_result(directory_, setup_.spec)) {
      edges_.conclude();
      stored->is_complete = false; // there already
      return *stored;
    }
    for (const auto& [plane, values] : before) {
      const auto now = algo::plane_of(workers_[0].arena(), plane);
      std::ranges::copy(values, now.begin());
    }
  }
}

TrainResult GossipRun::finish_with(
    cluster::Cluster& cluster,
    const std::vector<int>& members) {
  arena::Arena& arena = workers_[0].arena();
  replica_->copy_to(averager_->units(), arena.parameters());
  cluster.attach({&arena});
  const double loss = epoch_gradients_ > 0
                          ? epoch_loss_ / static_cast<double>(epoch_gradients_)
                          : last_train_loss_;
  const Best best = best_ ? best_->best() : Best(0);
  std::vector<double> row = {
      interrupted_ ? 1.0 : 0.0,
      diverged_ ? 1.0 : 0.0,
      best.gives_up() ? 1.0 : 0.0,
      static_cast<double>(earlier_messages_ + averager_->messages()),
      static_cast<double>(earlier_bytes_ + averager_->bytes()),
      earlier_seconds_ + total_.seconds(),
      training_seconds(),
      loss,
      static_cast<double>(best.epoch()),
      best.quality().accuracy,
      best.quality().loss,
      !averager_->is_fresh() ? kCurrent
      : has_checkpoint_      ? kOld
                             : kNone};
  std::ranges::copy(averager_->counts(), std::back_inserter(row));
  const cluster::Rows rows = cluster.all_gather({std::move(row)});
  replace_worse_values(cluster, rows);
  const double gradients = total_gradients(rows, setup_.spec.n);
  // A worker that was started again without a checkpoint knows of less.
  earlier_seconds_ =
      std::max(earlier_seconds_, most(rows, kSeconds) - total_.seconds());
  earlier_training_seconds_ = std::max(
      earlier_training_seconds_,
      most(rows, kTrainingSeconds) - training_.seconds());
  TrainResult result;
  result.run = directory_.path().string();
  result.is_complete = cluster.hosts_first();
  const auto wanted = static_cast<double>(setup_.spec.n * setup_.total_steps);
  result.outcome = sum(rows, kDiverged) > 0 ? Outcome::kDiverged
                   : sum(rows, kInterrupted) > 0 && gradients < wanted
                       ? Outcome::kInterrupted
                       : Outcome::kCompleted;
  result.steps = std::llround(gradients) / setup_.spec.n;
  result.epochs = result.steps / setup_.steps_per_epoch();
  result.train_loss =
      result.outcome == Outcome::kDiverged ? std::nan("") : mean_loss(rows);
  result.messages = std::llround(sum(rows, kMessages));
  result.bytes = std::llround(sum(rows, kBytes));
  if (result.outcome == Outcome::kInterrupted) {
    checkpoint();
    training_.pause();
  } else {
    report_progress("evaluating", true);
    Evaluator evaluator(
        cluster,
        workers_,
        *spare_,
        *setup_.dataset.test,
        evaluator_options(setup_));
    evaluation_ = evaluator.evaluate();
    evaluator.translate(*evaluation_);
    if (cluster.hosts_first()) {
      records_->append(evaluation_record(
          *evaluation_,
          setup_.moment(std::max<int64_t>(result.steps - 1, 0)),
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
    if (setup_.spec.check) {
      cluster::check_replicas_equal(
          arena.layout(),
          cluster.all_gather({cluster::tensor_fingerprints(
              arena.layout(),
              arena.parameters())}),
          result.steps);
    }
    // A worker that was lost may have taken some of the last gradients along,
    // but the run is at its end unless it was cut short.
    const bool is_short = sum(rows, kGaveUp) > 0;
    store_result(
        cluster,
        members,
        is_short ? std::min(result.steps, setup_.total_steps)
                 : setup_.total_steps);
    if (best_) keep_best(cluster, rows, result);
  }
  result.parameters_sha256 = cluster.parameters_sha256();
  records_->append(
      {{"type", "end"},
       {"members", members},
       {"gradients", averager_->counts()}});
  records_->flush();
  result.seconds = earlier_seconds_ + total_.seconds();
  result.samples_per_second = training_seconds() > 0
                                  ? gradients *
                                        static_cast<double>(setup_.spec.batch) /
                                        training_seconds()
                                  : 0;
  if (result.is_complete && options_.keep_result) options_.keep_result(result);
  cluster.barrier();
  return result;
}

// Whose values are worse than others' gets the mean of those.
void GossipRun::replace_worse_values(
    cluster::Cluster& cluster,
    const cluster::Rows& rows) {
  double best = kNone;
  for (const auto& row : rows)
    best = std::min(best, row[kValues]);
  if (best == kNone) {
    throw Error("all workers have come back without values: nothing is left");
  }
  const auto good = std::ranges::count_if(rows, [&](const auto& row) {
    return row[kValues] == best;
  });
  if (good == cluster.size()) return;
  const bool is_good = rows[cluster.hosted().front()][kValues] == best;
  std::vector<algo::Plane> planes = planes_beside_parameters();
  planes.push_back(algo::Plane::kParameters);
  for (const auto plane : planes) {
    const std::span<float> values = algo::plane_of(workers_[0].arena(), plane);
    if (!is_good) std::ranges::fill(values, 0.0f);
    std::vector<float> mean(values.size());
    cluster.mean(plane, mean);
    if (is_good) continue;
    const float scale =
        static_cast<float>(cluster.size()) / static_cast<float>(good);
    std::ranges::transform(mean, values.begin(), [&](float value) {
      return value * scale;
    });
  }
}

void GossipRun::keep_best(
    cluster::Cluster& cluster,
    const cluster::Rows& rows,
    TrainResult& result) {
  Best best(0);
  int whose = -1; // the average's
  for (int i = 0; i < cluster.size(); ++i) {
    const auto epoch = std::llround(rows[i][kBestEpoch]);
    if (epoch == 0) continue;
    const Quality quality{
        .accuracy = rows[i][kBestAccuracy],
        .loss = rows[i][kBestLoss],
        .is_text = setup_.dataset.test->has_tokens()};
    if (best.offer(quality, epoch)) whose = i;
  }
  const int64_t last =
      setup_.moment(std::max<int64_t>(result.steps - 1, 0)).epoch + 1;
  if (best.offer(quality_of_mean(*evaluation_), last)) whose = -1;
  best.add_to(result);
  if (!setup_.spec.keep_best) return;
  if (whose < 0) {
    if (!cluster.hosts_first()) return;
    write_best_model(directory_, setup_, spare_->arena(), result.steps);
  } else if (cluster.hosted().front() == whose) {
    if (!best_->put_into(spare_->arena())) return;
    const int64_t steps = best.epoch() * setup_.steps_per_epoch();
    write_best_model(directory_, setup_, spare_->arena(), steps);
  }
}

// A checkpoint like that of any other run. Those who are missing are given the
// average, too: it is what all of them have.
void GossipRun::store_result(
    cluster::Cluster& cluster,
    const std::vector<int>& members,
    int64_t step) {
  if (setup_.spec.checkpoint_every < 0) return;
  const auto planes =
      planes_to_store(workers_[0].arena(), setup_.state_planes());
  checkpoints_.write_worker(step, rank_, planes);
  if (cluster.hosts_first()) {
    for (int rank = 0; rank < setup_.spec.n; ++rank) {
      if (!std::ranges::binary_search(members, rank)) {
        checkpoints_.write_worker(step, rank, planes);
      }
    }
  }
  cluster.barrier();
  if (!cluster.hosts_first()) return;
  checkpoints_.commit(step, setup_.spec.n, {{"attempt", options_.attempt}});
}

} // namespace grapevine::train
