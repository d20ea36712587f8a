#include "run/engines/synchronous.h"

#include "base/error.h"
#include "run/numbers.h"
#include "run/planes.h"
#include "run/replicas.h"
#include "run/virtual_clock.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace grapevine::run {
namespace {

// How often the processes agree on whether to stop or to write a checkpoint:
// every so many steps, and at least as often as a person does not mind to wait.
constexpr int64_t kControlEvery = 10;
constexpr double kControlSeconds = 2;

// What a worker says then, as columns of a row.
enum Column { kInterrupt, kDiverged, kStepSeconds, kCheckpoint };

mix::StepperOptions stepper_options(const spec::Spec& spec) {
  return {
      .clip = spec.clip,
      .average_buffers = spec.buffers == "averaged",
      .workers_per_node = spec.workers_per_node,
      .check = spec.check,
      .bucket_bytes = spec.bucket_bytes};
}

nlohmann::json ada_state(const algo::AdaControl& control) {
  const algo::AdaControl::State& state = control.state();
  return {
      {"k", state.k},
      {"mean", state.mean},
      {"spread", state.spread},
      {"smoothed", state.smoothed},
      {"reference", state.reference},
      {"calm", state.calm}};
}

void restore_ada(const nlohmann::json& state, algo::AdaControl& control) {
  control.restore(
      {.k = state.at("k"),
       .mean = state.at("mean"),
       .spread = state.at("spread"),
       .smoothed = state.at("smoothed"),
       .reference = state.at("reference"),
       .calm = state.at("calm")});
}

} // namespace

SynchronousEngine::SynchronousEngine(RunContext& context, mix::Cluster& cluster)
    : context_(context),
      config_(context.config),
      cluster_(cluster),
      attachment_(cluster, arenas_of(context.workers)),
      stepper_(
          cluster,
          arenas_of(context.workers),
          *config_.agreement,
          *config_.rule,
          *config_.schedule,
          stepper_options(config_.spec)),
      losses_(context.workers.size()) {
  const spec::Spec& spec = config_.spec;
  if (spec.graph == "ada" && spec.ada == "auto") {
    ada_.emplace(algo::AdaControlOptions{
        .n = spec.n,
        .k0 = spec.k0,
        .k_min = spec.k_min,
        .level = spec.ada_level});
  }
  if (context_.is_root()) {
    clock_ = make_virtual_clock(spec, context_.spare.arena().layout());
  }
  if (clock_ && static_cast<int>(context_.hosted.size()) == cluster_.size()) {
    watch_ = std::make_unique<VirtualWatch>(cluster_.size());
    clock_->watch(watch_.get());
  }
}

SynchronousEngine::~SynchronousEngine() = default;

void SynchronousEngine::begin() {
  const spec::Spec& spec = config_.spec;
  loader_ = std::make_unique<data::Loader>(
      config_.dataset.train,
      config_.sharder,
      data::LoaderOptions{
          .workers = context_.hosted,
          .steps_per_epoch = config_.steps_per_epoch(),
          .first_step = step_,
          .last_step = config_.total_steps,
          .prefetch = spec.prefetch == 0
                          ? 0
                          : std::max(spec.prefetch, 2 * spec.loader_threads),
          .threads = spec.loader_threads,
          .seed = spec.seed});
}

graph::StepTime SynchronousEngine::moment() const {
  graph::StepTime moment = config_.moment(step_);
  if (ada_) moment.k = ada_->k();
  return moment;
}

double SynchronousEngine::degree() const {
  return config_.schedule->at(moment())->degree();
}

std::optional<Round> SynchronousEngine::advance() {
  if (step_ == config_.total_steps) return std::nullopt;
  Round round{.moment = moment(), .degree = degree()};
  round.lr = algo::learning_rate(config_.lr, step_, round.degree);
  if (config_.is_probed(step_)) round.probe = step_;
  const bool is_observed = ada_ && step_ % config_.spec.ada_every == 0;
  const bool is_traced = begin_timeline();
  std::optional<graph::StepTime> next;
  if (step_ + 1 < config_.total_steps) next = config_.moment(step_ + 1);
  stepper_.step(
      {.moment = round.moment,
       .next = next,
       .lr = round.lr,
       .mixing_strength = algo::mixing_strength(
           config_.spec,
           algo::share_of_peak(config_.lr, step_)),
       .measure = round.probe   ? mix::Measure::kEverything
                  : is_observed ? mix::Measure::kNorms
                                : mix::Measure::kNothing,
       .observer = is_traced ? this : nullptr,
       .compute_gradient = [&](int index, mix::GradientListener* listener) {
         compute_gradient(index, listener);
       }});
  count_times();
  if (config_.spec.check) {
    for (const Worker& worker : context_.workers)
      worker.verify_bound();
  }
  if (config_.has_moving_average()) {
    cluster_.for_each([&](int index) {
      follow_weights(config_, context_.workers[index].arena());
    });
  }
  if (clock_) {
    const auto times = clock_->advance(step_, stepper_.plan());
    if (watch_) watch_->add(times);
    round.virtual_seconds = clock_->now();
  }
  if (is_traced) log_timeline();
  if (is_observed) observe_spread();
  ++step_;
  round.losses = losses_;
  round.is_last = step_ == config_.total_steps;
  round.ends_epoch = step_ % config_.steps_per_epoch() == 0 || round.is_last;
  return round;
}

void SynchronousEngine::compute_gradient(
    int index,
    mix::GradientListener* listener) {
  const BatchPool::Lease lease(batches_);
  data::Batch& batch = lease.batch();
  record::Spans& spans = context_.spans[index];
  const int rank = context_.hosted[index];
  {
    const record::SpanTimer timer(spans, record::Span::kData);
    loader_->take(step_, rank, batch);
  }
  GradientOptions options = config_.gradient_options(rank, step_);
  options.weight = config_.batch_weight(step_, batch.samples());
  options.listener = listener;
  losses_[index] =
      context_.workers[index].compute_gradient(batch, options, spans);
}

void SynchronousEngine::count_times() {
  for (size_t i = 0; i < losses_.size(); ++i) {
    context_.spans[i].add(
        record::Span::kUpdate,
        stepper_.update_seconds(static_cast<int>(i)));
  }
  // All hosted workers' together, so any of them may have it.
  const double exchanged = cluster_.exchange_seconds();
  context_.spans[0].add(
      record::Span::kExchange,
      exchanged - last_exchange_seconds_);
  last_exchange_seconds_ = exchanged;
  const double waited = cluster_.wait_seconds();
  context_.spans[0].add(record::Span::kWait, waited - last_wait_seconds_);
  last_wait_seconds_ = waited;
}

std::vector<mix::StepMeasures::Squares> SynchronousEngine::squares() {
  std::vector<mix::StepMeasures::Squares> squares;
  for (size_t i = 0; i < losses_.size(); ++i)
    squares.push_back(stepper_.squares(static_cast<int>(i)));
  return squares;
}

void SynchronousEngine::observe_spread() {
  mix::Rows mine;
  for (const auto& squares : squares()) {
    const auto sums = ada_->contribution(std::sqrt(sum_of(squares.parameters)));
    mine.push_back({sums.excess, sums.squares});
  }
  const std::vector<double> sums = cluster_.sum(mine);
  ada_->observe({.excess = sums[0], .squares = sums[1]});
  if (!context_.is_root()) return;
  context_.log.density(
      step_,
      ada_->spread(),
      ada_->threshold().value_or(std::nan("")),
      ada_->k());
}

double SynchronousEngine::epoch_loss(
    const std::vector<double>& sums,
    int64_t rounds) {
  mix::Rows mine;
  for (const double sum : sums)
    mine.push_back({sum / static_cast<double>(rounds)});
  double total = 0;
  for (const auto& row : cluster_.all_gather(mine))
    total += row[0];
  return total / cluster_.size();
}

// Nobody waits to hear from the others how they are: that would be a barrier,
// and make all as slow as the slowest. The rows of a control step are gathered
// while the next step is computed, and looked at after that.
Verdict SynchronousEngine::agree(const Wishes& wishes, const Round& round) {
  Verdict verdict;
  if (looks_later_) {
    const bool looks = *looks_later_;
    looks_later_.reset();
    verdict = decide(cluster_.end_all_gather(), looks);
    if (verdict.stop) return verdict;
  }
  const mix::Rows mine = control_rows(wishes, verdict.checkpoint);
  const bool is_regular = round.ends_epoch || step_ % kControlEvery == 0;
  const bool is_alone = mine.size() == static_cast<size_t>(cluster_.size());
  if (round.ends_epoch || (is_alone && !is_regular)) {
    const bool is_due = verdict.checkpoint;
    verdict = decide(cluster_.all_gather(mine), is_regular);
    verdict.checkpoint |= is_due;
    return verdict;
  }
  if (!is_regular && step_ % control_every_ != 0) return verdict;
  cluster_.begin_all_gather(mine);
  looks_later_ = is_regular;
  return verdict;
}

// is_due: a checkpoint, which need not be wished for again.
mix::Rows SynchronousEngine::control_rows(const Wishes& wishes, bool is_due)
    const {
  const double step_seconds =
      context_.clock.training_seconds() / static_cast<double>(step_);
  mix::Rows mine;
  for (const bool is_diverged : wishes.is_diverged) {
    mine.push_back(
        {wishes.interrupt ? 1.0 : 0.0,
         is_diverged ? 1.0 : 0.0,
         step_seconds,
         wishes.checkpoint && !is_due ? 1.0 : 0.0});
  }
  return mine;
}

Verdict SynchronousEngine::decide(const mix::Rows& rows, bool looks) {
  const auto any = [&](Column column) {
    return std::ranges::any_of(rows, [&](const auto& row) {
      return row[column] != 0;
    });
  };
  control_every_ = std::clamp<int64_t>(
      static_cast<int64_t>(
          kControlSeconds / std::max(rows[0][kStepSeconds], 1e-9)),
      1,
      kControlEvery);
  // Divergence is looked for at steps that do not depend on the clock, so
  // that a run that diverges ends at the same step on every transport.
  if (looks && any(kDiverged)) return {.stop = Outcome::kDiverged};
  // An interruption at the very end changes nothing any more.
  if (any(kInterrupt) && step_ < config_.total_steps) {
    return {.stop = Outcome::kInterrupted};
  }
  // The first worker's clock counts for all.
  return {.checkpoint = rows[0][kCheckpoint] != 0};
}

mix::Traffic SynchronousEngine::total_traffic() {
  const mix::Traffic traffic = cluster_.traffic();
  // The hosted workers' traffic is booked on the first of them.
  mix::Rows mine(losses_.size(), {0, 0});
  mine[0] = {
      static_cast<double>(traffic.messages),
      static_cast<double>(traffic.bytes)};
  mix::Traffic total = earlier_traffic_;
  for (const auto& row : cluster_.all_gather(mine)) {
    total += {.messages = std::llround(row[0]), .bytes = std::llround(row[1])};
  }
  return total;
}

void SynchronousEngine::log_epoch() {
  record::Spans spans;
  for (record::Spans& mine_too : context_.spans) {
    spans.merge(mine_too);
    mine_too.clear();
  }
  if (spans.total() == 0) return;
  const graph::StepTime moment = context_.last_moment(step_);
  log_waits(moment);
  context_.log.spans(spans, moment);
}

void SynchronousEngine::log_waits(const graph::StepTime& moment) {
  if (watch_) {
    for (const auto& record : watch_->take_records(moment))
      context_.log.append(record);
  }
  const std::span<const double> waits = cluster_.waits();
  if (waits.empty()) return;
  last_waits_.resize(waits.size());
  std::vector<double> seconds(waits.size());
  for (size_t peer = 0; peer < waits.size(); ++peer)
    seconds[peer] = waits[peer] - last_waits_[peer];
  last_waits_.assign(waits.begin(), waits.end());
  context_.log.waits(moment, context_.hosted.front(), seconds);
}

bool SynchronousEngine::begin_timeline() {
  const bool traces = is_traced(config_.spec, step_);
  if (watch_) watch_->trace(traces);
  for (record::Spans& spans : context_.spans)
    spans.timeline().listen(traces && !watch_);
  return traces;
}

void SynchronousEngine::updated(
    int index,
    int bucket,
    mix::Clock::time_point begin) {
  context_.spans[index].timeline().add(
      {.span = record::Span::kUpdate,
       .begin = begin,
       .end = mix::Clock::now(),
       .bucket = bucket});
}

void SynchronousEngine::waited(
    int index,
    int bucket,
    mix::Clock::time_point begin,
    int peer) {
  context_.spans[index].timeline().add(
      {.span = record::Span::kWait,
       .begin = begin,
       .end = mix::Clock::now(),
       .peer = peer,
       .bucket = bucket});
}

void SynchronousEngine::log_timeline() {
  const mix::MixCosts& costs = cluster_.costs();
  if (!watch_ && costs.last_received > costs.first_sent) {
    context_.spans[0].timeline().add(
        {.span = record::Span::kExchange,
         .begin = costs.first_sent,
         .end = costs.last_received});
  }
  for (size_t i = 0; i < losses_.size(); ++i) {
    const int rank = context_.hosted[i];
    context_.log.timeline(
        step_,
        rank,
        watch_ ? watch_->timeline(rank)
               : timeline_rows(context_.spans[i].timeline()));
  }
}

void SynchronousEngine::resume() {
  const auto resumed = restore_newest(
      context_.checkpoints,
      cluster_,
      [&](const auto& candidate) { restore(candidate); },
      [&](const std::string& problem) { context_.note(problem); });
  if (resumed) step_ = resumed->step;
  context_.epoch_rounds = step_ % config_.steps_per_epoch();
}

void SynchronousEngine::restore(const record::CheckpointInfo& checkpoint) {
  const std::vector<std::string> state_planes = config_.state_planes();
  const nlohmann::json& state = checkpoint.state;
  for (size_t i = 0; i < context_.workers.size(); ++i) {
    restore_planes(
        context_.checkpoints.read_worker(checkpoint, context_.hosted[i]),
        state_planes,
        context_.workers[i].arena());
  }
  context_.restore(state);
  for (size_t i = 0; i < context_.workers.size(); ++i) {
    context_.epoch_losses[i] =
        number_or_nan(state.at("epoch_loss").at(context_.hosted[i]));
  }
  earlier_traffic_ = {
      .messages = state.at("messages"),
      .bytes = state.at("bytes")};
  if (ada_) restore_ada(state.at("ada"), *ada_);
  if (clock_) {
    const auto clock = state.at("virtual_clock").get<std::vector<double>>();
    if (clock.size() != clock_->state().size()) {
      throw IoError("the virtual clock is that of another cluster");
    }
    clock_->restore(clock);
  }
}

void SynchronousEngine::write_checkpoint(nlohmann::json state) {
  // A run that is resumed from here knows nothing of what came before.
  if (step_ > 0) log_epoch();
  context_.log.flush();
  const std::vector<std::string> state_planes = config_.state_planes();
  cluster_.for_each([&](int index) {
    context_.checkpoints.write_worker(
        step_,
        context_.hosted[index],
        planes_to_store(context_.workers[index].arena(), state_planes));
  });
  mix::Rows mine;
  for (const double sum : context_.epoch_losses)
    mine.push_back({sum});
  const mix::Traffic traffic = total_traffic();
  const mix::Rows rows = cluster_.all_gather(mine);
  cluster_.barrier(); // all files are there
  if (!context_.is_root()) return;
  for (const std::vector<double>& row : rows)
    state["epoch_loss"].push_back(row[0]);
  state["messages"] = traffic.messages;
  state["bytes"] = traffic.bytes;
  if (ada_) state["ada"] = ada_state(*ada_);
  if (clock_) state["virtual_clock"] = clock_->state();
  context_.checkpoints.commit(step_, cluster_.size(), state);
}

TrainResult SynchronousEngine::end(Outcome outcome, const Finish& finish) {
  Ending ending{
      .outcome = outcome,
      .steps = step_,
      .train_loss = outcome == Outcome::kDiverged ? std::nan("")
                                                  : context_.last_train_loss,
      .traffic = total_traffic()};
  for (int64_t step = 0; step < step_; ++step)
    ending.samples += static_cast<double>(config_.samples_in_step(step));
  if (clock_) ending.virtual_seconds = clock_->now();
  const TrainResult result = finish(ending);
  cluster_.barrier();
  return result;
}

// What an epoch that was not finished has taken.
void SynchronousEngine::log_end(double /*distance*/) {
  if (step_ > 0) log_epoch();
}

} // namespace grapevine::run
