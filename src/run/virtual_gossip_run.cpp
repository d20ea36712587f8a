#include "run/virtual_gossip_run.h"

#include "algo/clip.h"
#include "base/heap.h"
#include "gossip/control_channel.h"
#include "gossip/neighbours.h"
#include "run/gossip_config.h"
#include "run/gossip_times.h"
#include "run/moving_average.h"
#include "run/numbers.h"
#include "run/planes.h"
#include "run/run_records.h"
#include "run/torch_threads.h"
#include "spec/spec_table.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace grapevine::run {

VirtualGossipRun::Shown::Shown(VirtualGossipRun& run) : run_(run) {
  run_.jobs_->drain();
  swap();
}

void VirtualGossipRun::Shown::swap() {
  run_.cluster_.for_each([&](int index) {
    std::ranges::swap_ranges(
        run_.workers_[index].arena().parameters(),
        run_.replicas_[index]->x());
  });
}

VirtualGossipRun::VirtualGossipRun(
    const RunConfig& config,
    mix::Cluster& cluster,
    record::RunDirectory directory,
    int attempt,
    const TrainHooks& hooks)
    : config_(config),
      cluster_(cluster),
      directory_(std::move(directory)),
      checkpoints_(directory_),
      hooks_(hooks),
      attempt_(attempt),
      graph_(config_),
      degree_(config_.schedule->at({})->degree()) {
  const int n = cluster_.size();
  const gossip::Dynamics dynamics = gossip_dynamics(config_);
  std::vector<tensor::Arena*> arenas;
  std::vector<gossip::Replica*> replicas;
  {
    const ShortLivedBlocks heap;
    for (int i = 0; i < n; ++i)
      workers_.emplace_back(config_.worker_options());
  }
  load_initial_values(config_, workers_);
  for (Worker& worker : workers_) {
    begin_moving_average(config_, worker.arena());
    arenas.push_back(&worker.arena());
    replicas_.push_back(std::make_unique<gossip::Replica>(
        worker.arena(),
        dynamics,
        config_.spec.bucket_bytes));
    replicas.push_back(replicas_.back().get());
  }
  spare_ = std::make_unique<Worker>(config_.spare_options());
  attachment_.emplace(cluster_, arenas);
  evaluator_ = std::make_unique<Evaluator>(
      cluster_,
      workers_,
      *spare_,
      *config_.dataset.test,
      evaluator_options(config_));
  sim::VirtualGossipHost& host = *this;
  engine_ = std::make_unique<sim::VirtualGossip>(
      sim::VirtualGossipOptions{
          .neighbours = gossip::neighbours_in(*config_.schedule),
          .averagings = gossip_averagings(config_),
          .rate = config_.spec.rate,
          .max_lag = config_.spec.max_lag,
          .seed = config_.spec.seed,
          .total_gradients = n * config_.total_steps,
          .times = make_gossip_times(config_.spec, arenas.front()->layout()),
          .check = config_.spec.check},
      std::move(replicas),
      *config_.rule,
      host);
  losses_.resize(n);
  round_losses_.resize(n);
  epoch_losses_.resize(n);
  timelines_.resize(n);
  best_ = Best::wanted_by(config_.spec);
  jobs_ =
      std::make_unique<JobQueue>(cluster_.threads() - 1, use_one_torch_thread);
  resume();
  // What has flowed before an interruption did so by these constants already.
  follow_graph([](int) { return 0.0; });
  records_ = std::make_unique<record::RecordWriter>(directory_.records(0));
  records_->append(attempt_record(
      attempt_,
      rounds(),
      {cluster_.hosted().begin(), cluster_.hosted().end()},
      cluster_.transport_name(),
      config_,
      arenas.front()->layout()));
}

VirtualGossipRun::~VirtualGossipRun() = default;

TrainResult VirtualGossipRun::run() {
  time_.begin();
  while (engine_->advance()) {
    if (rounds() == rounds_seen_) continue;
    rounds_seen_ = rounds();
    if (const auto stop = end_round()) return finish(*stop);
  }
  return finish(Outcome::kCompleted);
}

void VirtualGossipRun::follow_graph(
    const std::function<double(int)>& flowed_until) {
  const auto change = graph_.change_at(rounds());
  if (!change) return;
  degree_ = change->degree;
  engine_->change_graph(change->neighbours);
  for (size_t i = 0; i < replicas_.size(); ++i) {
    replicas_[i]->set_dynamics(
        change->dynamics,
        flowed_until(static_cast<int>(i)));
  }
}

void VirtualGossipRun::begin_gradient(int worker, int64_t gradient) {
  if (restores_) return;
  jobs_->start(worker, [this, worker, gradient] { compute(worker, gradient); });
}

void VirtualGossipRun::compute(int worker, int64_t gradient) {
  const BatchPool::Lease lease(batches_);
  config_.gather(worker, gradient, lease.batch());
  record::Spans spans;
  GradientOptions options = config_.gradient_options(worker, gradient);
  options.weight = config_.batch_weight(gradient, lease.batch().samples());
  losses_[worker] =
      workers_[worker].compute_gradient(lease.batch(), options, spans);
  if (config_.spec.check) workers_[worker].verify_bound();
}

algo::StepInfo
VirtualGossipRun::finish_gradient(int worker, int64_t gradient, int64_t done) {
  jobs_->finish(worker);
  lr_ = algo::learning_rate(config_.lr, done / cluster_.size(), degree_);
  algo::StepInfo info{.step = gradient, .lr = lr_};
  if (config_.spec.clip > 0) {
    info.gradient_scale =
        algo::clip_factor(workers_[worker].arena(), config_.spec.clip);
  }
  return info;
}

void VirtualGossipRun::gradient_done(int worker, int64_t, int64_t) {
  round_losses_[worker] = losses_[worker];
  // The snapshot is the replica as the gradient has left it.
  follow_weights(config_, workers_[worker].arena());
  if (!is_traced(config_.spec, rounds_seen_)) return;
  timelines_[worker].push_back(
      virtual_row("gradient", engine_->began(worker), engine_->now()));
}

void VirtualGossipRun::pair_done(int a, int b, double since) {
  if (!is_traced(config_.spec, rounds_seen_)) return;
  const double now = engine_->now();
  timelines_[a].push_back(virtual_row("exchange", since, now, b));
  timelines_[b].push_back(virtual_row("exchange", since, now, a));
}

std::optional<Outcome> VirtualGossipRun::end_round() {
  const int64_t round = rounds_seen_ - 1;
  const bool ends_epoch = rounds_seen_ % config_.steps_per_epoch() == 0 ||
                          rounds_seen_ == config_.total_steps;
  for (size_t i = 0; i < epoch_losses_.size(); ++i)
    epoch_losses_[i] += round_losses_[i];
  record_round();
  record_timelines();
  const int64_t every = config_.spec.probe_every;
  if (every > 0 && round % every == 0) probe();
  if (!std::ranges::all_of(round_losses_, [](double loss) {
        return std::isfinite(loss);
      })) {
    return Outcome::kDiverged;
  }
  if (ends_epoch) {
    const int64_t rounds_of_it = round % config_.steps_per_epoch() + 1;
    last_train_loss_ =
        mean_of(epoch_losses_) / static_cast<double>(rounds_of_it);
    std::ranges::fill(epoch_losses_, 0.0);
    const int64_t epoch = config_.moment(round).epoch + 1;
    if (rounds_seen_ < config_.total_steps && config_.spec.eval_every > 0 &&
        epoch % config_.spec.eval_every == 0) {
      evaluate();
    }
    record_pairs();
    records_->flush();
  }
  // Before a checkpoint: what has flowed there did so by the old constants.
  follow_graph([this](int worker) { return engine_->units(worker); });
  if (rounds_seen_ == config_.total_steps) return std::nullopt;
  if (ends_epoch && best_ && best_->gives_up()) return Outcome::kCompleted;
  if (hooks_.interrupt != nullptr && *hooks_.interrupt) {
    return Outcome::kInterrupted;
  }
  if (checkpoint_is_due()) checkpoint();
  report_progress("training", false);
  return std::nullopt;
}

mix::Traffic VirtualGossipRun::traffic() const {
  const int64_t plane = workers_.front().arena().layout().size() *
                        static_cast<int64_t>(sizeof(float));
  return {
      .messages = engine_->words() + engine_->transfers(),
      .bytes =
          engine_->words() * gossip::control_message_bytes(cluster_.size()) +
          engine_->transfers() * plane};
}

std::optional<double> VirtualGossipRun::virtual_seconds() const {
  if (!spec::has_virtual_clock(config_.spec)) return std::nullopt;
  return engine_->now();
}

void VirtualGossipRun::evaluate() {
  time_.pause_training();
  report_progress("evaluating", true);
  {
    const Shown shown(*this);
    evaluation_ = evaluator_->evaluate();
    if (rounds() >= config_.total_steps) evaluator_->translate(*evaluation_);
  }
  evaluated_at_ = rounds();
  records_->append(evaluation_record(
      *evaluation_,
      config_.moment(std::max<int64_t>(rounds() - 1, 0)),
      training_seconds(),
      last_train_loss_));
  if (best_ && is_to_be_kept(*best_, config_, *evaluation_, rounds())) {
    // The evaluation has left the averaged model there.
    write_best_model(directory_, config_, spare_->arena(), rounds());
  }
  time_.resume_training();
}

// All replicas become their mean: the run's last exchange.
void VirtualGossipRun::average() {
  const Shown shown(*this);
  const std::span<float> mean = spare_->arena().parameters();
  cluster_.mean(algo::Plane::kParameters, mean);
  cluster_.for_each([&](int i) {
    std::ranges::copy(mean, workers_[i].arena().parameters().begin());
  });
}

TrainResult VirtualGossipRun::finish(Outcome outcome) {
  time_.pause_training();
  if (outcome == Outcome::kInterrupted) {
    report_progress("writing a checkpoint", true);
    checkpoint();
    time_.pause_training();
  } else if (evaluated_at_ != rounds()) {
    evaluate();
    time_.pause_training();
  }
  // A run that ended early was evaluated before it was known to be its last.
  if (outcome == Outcome::kCompleted && !evaluation_->bleu) {
    const Shown shown(*this);
    evaluator_->translate(*evaluation_);
  }
  if (outcome == Outcome::kDiverged) last_train_loss_ = std::nan("");
  TrainResult result;
  result.run = directory_.path().string();
  result.outcome = outcome;
  result.steps = rounds();
  result.epochs = rounds() / config_.steps_per_epoch();
  result.train_loss = last_train_loss_;
  add_evaluation(evaluation_, result);
  if (best_) best_->add_to(result);
  {
    const Shown shown(*this);
    result.consensus_distance = shown_distance();
  }
  record_gossip(result.consensus_distance);
  record_pairs();
  if (outcome == Outcome::kCompleted) average();
  {
    const Shown shown(*this);
    result.parameters_sha256 = cluster_.parameters_sha256();
  }
  result.virtual_seconds = virtual_seconds();
  result.messages = traffic().messages;
  result.bytes = traffic().bytes;
  gossip::Statistics all;
  for (int i = 0; i < cluster_.size(); ++i) {
    all.gradients += engine_->statistics(i).gradients;
    all.averagings += engine_->statistics(i).averagings;
  }
  add_rate(
      static_cast<double>(all.averagings),
      static_cast<double>(all.gradients),
      config_,
      result);
  if (outcome == Outcome::kCompleted && config_.spec.checkpoint_every >= 0) {
    checkpoint();
    time_.pause_training();
  }
  records_->flush();
  result.seconds = time_.total_seconds();
  const auto samples =
      static_cast<double>(engine_->gradients() * config_.spec.batch);
  result.samples_per_second =
      training_seconds() > 0 ? samples / training_seconds() : 0;
  return result;
}

void VirtualGossipRun::report_progress(const std::string& phase, bool force) {
  if (!hooks_.on_progress) return;
  if (!progress_pace_.is_due(force)) return;
  hooks_.on_progress(make_progress(
      config_,
      phase,
      rounds(),
      round_losses_,
      evaluation_,
      degree_,
      training_seconds()));
}

} // namespace grapevine::run
