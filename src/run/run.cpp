#include "run/run.h"

#include "base/check.h"
#include "base/heap.h"
#include "run/moving_average.h"
#include "run/planes.h"
#include "run/run_records.h"
#include "run/virtual_clock.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace grapevine::run {
namespace {

// How often the processes agree on whether to stop: every so many steps, and
// at least as often as a person does not mind to wait.
constexpr int64_t kControlEvery = 10;
constexpr double kControlSeconds = 2;

std::vector<tensor::Arena*> arenas_of(std::vector<Worker>& workers) {
  std::vector<tensor::Arena*> arenas;
  arenas.reserve(workers.size());
  for (Worker& worker : workers)
    arenas.push_back(&worker.arena());
  return arenas;
}

} // namespace

Run::Run(
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
      attempt_(attempt) {
  const size_t hosted = cluster_.hosted().size();
  {
    const ShortLivedBlocks heap;
    for (size_t i = 0; i < hosted; ++i) {
      workers_.emplace_back(config_.worker_options());
    }
  }
  spare_ = std::make_unique<Worker>(config_.spare_options());
  const std::vector<tensor::Arena*> arenas = arenas_of(workers_);
  attachment_.emplace(cluster_, arenas);
  stepper_ = std::make_unique<mix::Stepper>(
      cluster_,
      arenas,
      *config_.agreement,
      *config_.rule,
      *config_.schedule,
      mix::StepperOptions{
          .clip = config_.spec.clip,
          .average_buffers = config_.spec.buffers == "averaged",
          .workers_per_node = config_.spec.workers_per_node,
          .check = config_.spec.check,
          .bucket_bytes = config_.spec.bucket_bytes});
  evaluator_ = std::make_unique<Evaluator>(
      cluster_,
      workers_,
      *spare_,
      *config_.dataset.test,
      evaluator_options(config_));
  spans_.resize(hosted);
  losses_.resize(hosted);
  epoch_loss_.resize(hosted);

  if (config_.spec.graph == "ada" && config_.spec.ada == "auto") {
    ada_.emplace(algo::AdaControlOptions{
        .n = config_.spec.n,
        .k0 = config_.spec.k0,
        .k_min = config_.spec.k_min,
        .level = config_.spec.ada_level});
  }
  if (cluster_.is_root()) {
    clock_ = make_virtual_clock(config_.spec, arenas.front()->layout());
  }
  if (clock_ && static_cast<int>(hosted) == cluster_.size()) {
    watch_ = std::make_unique<VirtualWatch>(cluster_.size());
    clock_->watch(watch_.get());
  }
  best_ = Best::wanted_by(config_.spec);
  load_initial_values(config_, workers_);
  for (Worker& worker : workers_)
    begin_moving_average(config_, worker.arena());
  resume();
  records_ = std::make_unique<record::RecordWriter>(
      directory_.records(cluster_.hosted().front()));
  records_->append(attempt_record(
      attempt_,
      step_,
      {cluster_.hosted().begin(), cluster_.hosted().end()},
      cluster_.transport_name(),
      config_,
      arenas.front()->layout()));
  loader_ = std::make_unique<data::Loader>(
      config_.dataset.train,
      config_.sharder,
      data::LoaderOptions{
          .workers = {cluster_.hosted().begin(), cluster_.hosted().end()},
          .steps_per_epoch = config_.steps_per_epoch(),
          .first_step = step_,
          .last_step = config_.total_steps,
          .prefetch = config_.spec.prefetch == 0
                          ? 0
                          : std::max(
                                config_.spec.prefetch,
                                2 * config_.spec.loader_threads),
          .threads = config_.spec.loader_threads,
          .seed = config_.spec.seed});
}

Run::~Run() = default;

TrainResult Run::run() {
  time_.begin();
  // An attempt before this one may have come to its early end.
  const bool has_ended = best_ && best_->gives_up();
  while (!has_ended && step_ < config_.total_steps) {
    train_step();
    const bool epoch_ended =
        step_ % config_.steps_per_epoch() == 0 || step_ == config_.total_steps;
    const auto stop = stop_reason(epoch_ended);
    // Also when it is interrupted here: the next attempt begins the next epoch.
    if (epoch_ended && stop != Outcome::kDiverged) finish_epoch();
    if (stop == Outcome::kDiverged) return finish(*stop);
    if (epoch_ended && best_ && best_->gives_up()) break;
    if (stop) return finish(*stop);
    if (checkpoint_is_due(epoch_ended)) checkpoint();
  }
  return finish(Outcome::kCompleted);
}

void Run::train_step() {
  const graph::StepTime moment = this->moment();
  const double degree = config_.schedule->at(moment)->degree();
  const double lr = algo::learning_rate(config_.lr, step_, degree);
  const int64_t every = config_.spec.probe_every;
  const bool is_probe = every > 0 && step_ % every == 0;
  const bool is_look = ada_ && step_ % config_.spec.ada_every == 0;
  const bool traces = opens_timeline();
  std::optional<graph::StepTime> next;
  if (step_ + 1 < config_.total_steps) next = config_.moment(step_ + 1);
  stepper_->step(
      {.moment = moment,
       .next = next,
       .lr = lr,
       .mixing_strength = algo::mixing_strength(
           config_.spec,
           algo::share_of_peak(config_.lr, step_)),
       .measure = is_probe  ? mix::Measure::kEverything
                  : is_look ? mix::Measure::kNorms
                            : mix::Measure::kNothing,
       .observer = traces ? this : nullptr,
       .compute_gradient = [&](int index, mix::GradientListener* listener) {
         compute_gradient(index, listener);
       }});
  for (size_t i = 0; i < workers_.size(); ++i) {
    epoch_loss_[i] += losses_[i];
    spans_[i].add(
        record::Span::kUpdate,
        stepper_->update_seconds(static_cast<int>(i)));
  }
  // All hosted workers' together, so any of them may have it.
  const double exchanged = cluster_.exchange_seconds();
  spans_[0].add(record::Span::kExchange, exchanged - last_exchange_seconds_);
  last_exchange_seconds_ = exchanged;
  const double waited = cluster_.wait_seconds();
  spans_[0].add(record::Span::kWait, waited - last_wait_seconds_);
  last_wait_seconds_ = waited;
  if (config_.spec.check) {
    for (const Worker& worker : workers_)
      worker.verify_bound();
  }
  if (config_.has_moving_average()) {
    cluster_.for_each(
        [&](int index) { follow_weights(config_, workers_[index].arena()); });
  }
  if (clock_) {
    const auto times = clock_->advance(step_, stepper_->plan());
    if (watch_) watch_->add(times);
  }
  record_step(lr, degree);
  if (traces) record_timeline();
  if (is_probe) probe();
  if (is_look) observe_spread();
  ++step_;
  report_progress("training", false);
}

void Run::compute_gradient(int index, mix::GradientListener* listener) {
  const BatchPool::Lease lease(batches_);
  data::Batch& batch = lease.batch();
  {
    const record::SpanTimer timer(spans_[index], record::Span::kData);
    loader_->take(step_, cluster_.hosted()[index], batch);
  }
  const int rank = cluster_.hosted()[index];
  GradientOptions options = config_.gradient_options(rank, step_);
  options.weight = config_.batch_weight(step_, batch.samples());
  options.listener = listener;
  losses_[index] =
      workers_[index].compute_gradient(batch, options, spans_[index]);
}

void Run::record_step(double lr, double degree) {
  const mix::Traffic traffic = cluster_.traffic();
  nlohmann::json record = {
      {"type", "step"},
      {"step", step_},
      {"epoch", config_.moment(step_).epoch},
      {"attempt", attempt_},
      {"lr", lr},
      {"degree", degree},
      {"messages", traffic.messages - last_traffic_.messages},
      {"bytes", traffic.bytes - last_traffic_.bytes},
      {"seconds", training_seconds()},
      {"loss", losses_}};
  if (clock_) record["virtual_seconds"] = clock_->now();
  records_->append(record);
  last_traffic_ = traffic;
}

graph::StepTime Run::moment() const {
  graph::StepTime moment = config_.moment(step_);
  if (ada_) moment.k = ada_->k();
  return moment;
}

void Run::finish_epoch() {
  time_.pause_training();
  const int64_t steps = (step_ - 1) % config_.steps_per_epoch() + 1;
  mix::Rows mine;
  for (const double sum : epoch_loss_) {
    mine.push_back({sum / static_cast<double>(steps)});
  }
  double total = 0;
  for (const auto& row : cluster_.all_gather(mine))
    total += row[0];
  last_train_loss_ = total / cluster_.size();
  std::ranges::fill(epoch_loss_, 0.0);

  const int64_t epoch = config_.moment(step_ - 1).epoch + 1;
  const int64_t every = config_.spec.eval_every;
  if (step_ == config_.total_steps || (every > 0 && epoch % every == 0)) {
    evaluate();
  }
  record_spans();
  records_->flush();
  time_.resume_training();
}

void Run::record_spans() {
  record::Spans spans;
  for (record::Spans& mine_too : spans_) {
    spans.merge(mine_too);
    mine_too.clear();
  }
  if (spans.total() == 0) return;
  record_waits();
  records_->append(spans_record(spans, config_.moment(step_ - 1)));
}

// Nobody waits to hear from the others how they are: that would be a barrier,
// and make everybody as slow as the slowest. What a control step has to say is
// gathered while the next one is computed, and looked at behind that.
std::optional<Outcome> Run::stop_reason(bool epoch_ended) {
  if (looks_later_) {
    const bool looks = *looks_later_;
    looks_later_.reset();
    const auto stop = decide(cluster_.end_all_gather(), looks);
    if (stop) return stop;
  }
  const mix::Rows mine = control_rows();
  const bool is_regular = epoch_ended || step_ % kControlEvery == 0;
  const bool is_alone = mine.size() == static_cast<size_t>(cluster_.size());
  if (is_alone && !is_regular) return decide(mine, false);
  if (epoch_ended) return decide(cluster_.all_gather(mine), true);
  if (!is_regular && step_ % control_every_ != 0) return std::nullopt;
  cluster_.begin_all_gather(mine);
  looks_later_ = is_regular;
  return std::nullopt;
}

mix::Rows Run::control_rows() {
  const bool interrupted = hooks_.interrupt != nullptr && *hooks_.interrupt;
  const double step_seconds = training_seconds() / static_cast<double>(step_);
  mix::Rows mine(workers_.size());
  for (size_t i = 0; i < workers_.size(); ++i) {
    mine[i] = {
        interrupted ? 1.0 : 0.0,
        std::isfinite(losses_[i]) ? 0.0 : 1.0,
        step_seconds};
  }
  return mine;
}

std::optional<Outcome> Run::decide(const mix::Rows& rows, bool looks) {
  const auto any = [&](size_t column) {
    return std::ranges::any_of(rows, [&](const auto& row) {
      return row[column] != 0;
    });
  };
  control_every_ = std::clamp<int64_t>(
      static_cast<int64_t>(kControlSeconds / std::max(rows[0][2], 1e-9)),
      1,
      kControlEvery);
  // Divergence is looked for at steps that do not depend on the clock, so
  // that a run that diverges ends at the same step on every transport.
  if (looks && any(1)) return Outcome::kDiverged;
  // An interruption at the very end changes nothing any more.
  if (any(0) && step_ < config_.total_steps) return Outcome::kInterrupted;
  return std::nullopt;
}

TrainResult Run::finish(Outcome outcome) {
  time_.pause_training();
  if (outcome == Outcome::kInterrupted) {
    report_progress("writing a checkpoint", true);
    checkpoint();
    time_.pause_training();
  } else if (evaluated_at_ != step_) {
    evaluate();
  }
  // A run that ended early was evaluated before it was known to be its last.
  if (outcome == Outcome::kCompleted && !evaluation_->bleu) {
    evaluator_->translate(*evaluation_);
  }
  if (outcome == Outcome::kDiverged) last_train_loss_ = std::nan("");
  // What an epoch that was not finished has taken.
  if (step_ > 0) record_spans();

  TrainResult result;
  result.run = directory_.path().string();
  result.outcome = outcome;
  result.steps = step_;
  result.epochs = step_ / config_.steps_per_epoch();
  result.train_loss = last_train_loss_;
  add_evaluation(evaluation_, result);
  if (best_) best_->add_to(result);
  result.consensus_distance =
      consensus_distance(cluster_, workers_, spare_->arena().parameters());
  result.parameters_sha256 = cluster_.parameters_sha256();
  if (clock_) result.virtual_seconds = clock_->now();
  // Every process sent its part.
  const mix::Traffic traffic = cluster_.traffic();
  mix::Rows mine(workers_.size(), {0, 0});
  mine[0] = {
      static_cast<double>(traffic.messages),
      static_cast<double>(traffic.bytes)};
  result.messages = earlier_messages_;
  result.bytes = earlier_bytes_;
  for (const auto& row : cluster_.all_gather(mine)) {
    result.messages += std::llround(row[0]);
    result.bytes += std::llround(row[1]);
  }
  if (outcome == Outcome::kCompleted && config_.spec.checkpoint_every >= 0) {
    checkpoint();
    time_.pause_training();
  }
  records_->flush();
  result.seconds = time_.total_seconds();
  const double training = training_seconds();
  int64_t samples = 0;
  for (int64_t step = 0; step < step_; ++step) {
    const int64_t steps = config_.steps_per_epoch();
    samples += config_.sharder->samples_in_step(step / steps, step % steps);
  }
  result.samples_per_second =
      training > 0 ? static_cast<double>(samples) / training : 0;
  cluster_.barrier();
  return result;
}

void Run::report_progress(const std::string& phase, bool force) {
  if (!hooks_.on_progress || !cluster_.is_root()) return;
  if (!progress_pace_.is_due(force)) return;
  hooks_.on_progress(make_progress(
      config_,
      phase,
      step_,
      losses_,
      evaluation_,
      config_.schedule->at(moment())->degree(),
      training_seconds()));
}

} // namespace grapevine::run
