#include "run/engines/asynchronous.h"

#include "algo/clip.h"
#include "gossip/neighbours.h"
#include "mix/invariants.h"
#include "run/planes.h"
#include "run/replicas.h"
#include "run/run_directory_setup.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace grapevine::run {
namespace {

std::chrono::duration<double> deadline_of(const RunConfig& config) {
  return std::chrono::duration<double>(config.spec.deadline);
}

} // namespace

AsynchronousEngine::AsynchronousEngine(
    RunContext& context,
    member::Edges& edges,
    AsynchronousOptions options)
    : context_(context),
      config_(context.config),
      edges_(edges),
      options_(std::move(options)),
      rank_(edges.rank()),
      graph_(config_),
      degree_(config_.schedule->at({})->degree()),
      replica_(arena(), gossip_dynamics(config_), config_.spec.bucket_bytes),
      is_fresh_(options_.returns || options_.resumes) {
  if (config_.spec.eval_every > 0) {
    subset_ =
        draw_evaluation_set(*config_.dataset.test, evaluator_options(config_));
  }
}

AsynchronousEngine::~AsynchronousEngine() = default;

void AsynchronousEngine::resume() {
  restore();
  averager_ = std::make_unique<gossip::Averager>(
      replica_,
      edges_,
      gossip::neighbours_in(*config_.schedule)[rank_],
      gossip::AveragerOptions{
          .total_gradients = config_.spec.n * config_.total_steps,
          .seed = config_.spec.seed,
          .deadline = deadline_of(config_),
          .is_fresh = is_fresh_,
          .counts_before = counts_before_});
}

void AsynchronousEngine::restore() {
  try {
    const auto file = context_.checkpoints.read_own(rank_);
    if (!file) return;
    restore_planes(*file, config_.state_planes(), arena());
    counts_before_ = nlohmann::json::parse(file->metadata.at("counts"))
                         .get<std::vector<int64_t>>();
    gradients_ = std::stoll(file->metadata.at("gradients"));
    context_.clock.set_earlier(
        std::stod(file->metadata.at("seconds")),
        std::stod(file->metadata.at("training_seconds")));
    earlier_traffic_ = {
        .messages = std::stoll(file->metadata.at("messages")),
        .bytes = std::stoll(file->metadata.at("bytes"))};
    counts_before_.resize(config_.spec.n);
    counts_before_[rank_] = gradients_;
    if (context_.best.is_wanted()) context_.best.restore(*file, arena());
  } catch (const std::exception& error) {
    context_.note(fmt::format("own checkpoint passed over: {}", error.what()));
    return;
  }
  const std::vector<float> values(
      arena().parameters().begin(),
      arena().parameters().end());
  replica_.begin_from(values, 0);
  has_checkpoint_ = true;
  // Where the others have gone on meanwhile, theirs are newer, and to average
  // with them would pull them back.
  is_fresh_ = options_.returns;
}

void AsynchronousEngine::begin() {
  if (!options_.returns) averager_->wait_for_neighbours(deadline_of(config_));
  if (is_fresh_) take_values();
}

// A neighbour's, if one gives them in time; a worker that has a checkpoint does
// not wait for long, since the others may be in the same situation.
void AsynchronousEngine::take_values() {
  constexpr double kLongest = 10; // seconds
  const double patience = has_checkpoint_
                              ? std::min(kLongest, config_.spec.deadline)
                              : config_.spec.deadline;
  const auto deadline =
      Deadline::after(std::chrono::duration<double>(patience));
  bool keeps_its_own = false;
  while (!averager_->wait_for_values(std::chrono::seconds(1))) {
    look_for_the_others();
    if (!deadline.passed()) continue;
    averager_->accept_own_values();
    keeps_its_own = true;
  }
  replica_.refresh(averager_->units());
  if (!keeps_its_own && !averager_->is_fresh()) {
    begin_moving_average(config_, arena());
  }
  // What the others know that this worker had done before it was lost.
  gradients_ = averager_->counts()[rank_];
}

// They may have come to the end while this worker was away.
void AsynchronousEngine::look_for_the_others() {
  constexpr double kEverySeconds = 1;
  if (since_look_.seconds() < kEverySeconds) return;
  since_look_.restart();
  if (edges_.is_gathering() ||
      stored_result(context_.directory, config_.spec)) {
    averager_->ask_for_end();
  }
}

double AsynchronousEngine::exact_rounds() const {
  return averager_->total_estimate() / config_.spec.n;
}

int64_t AsynchronousEngine::rounds_of_run() const {
  return averager_ ? static_cast<int64_t>(exact_rounds()) : gradients_;
}

mix::Traffic AsynchronousEngine::traffic() const {
  return {.messages = averager_->messages(), .bytes = averager_->bytes()};
}

std::optional<Round> AsynchronousEngine::advance() {
  if (is_unfinished_) finish_gradient();
  if (averager_->is_ending()) return std::nullopt;
  check_evaluation();
  const Stopwatch watch;
  compute_gradient();
  const int64_t round = rounds_of_run();
  const double lr = move_replica(round);
  averager_->gradient_done(
      watch.seconds(),
      gossip::allowance(
          gossip_averagings(config_),
          config_.spec.rate,
          config_.spec.seed,
          rank_,
          gradients_));
  context_.log.membership(gradients_, averager_->membership());
  is_unfinished_ = true;
  const graph::StepTime moment = config_.moment(gradients_++);
  return Round{
      .moment = moment,
      .of_run = round,
      .lr = lr,
      .degree = degree_,
      .losses = {loss_},
      .probe = probe_number(),
      .ends_epoch = gradients_ % config_.steps_per_epoch() == 0};
}

void AsynchronousEngine::compute_gradient() {
  spans().timeline().listen(is_traced(config_.spec, gradients_));
  {
    const record::SpanTimer timer(spans(), record::Span::kData);
    config_.gather(rank_, gradients_, batch_);
  }
  Worker& worker = context_.workers[0];
  GradientOptions options = config_.gradient_options(rank_, gradients_);
  options.weight = config_.batch_weight(gradients_, batch_.samples());
  loss_ = worker.compute_gradient(batch_, options, spans());
  if (config_.spec.check) worker.verify_bound();
}

double AsynchronousEngine::move_replica(int64_t round) {
  if (auto change = graph_.change_at(round, averager_->ended())) {
    degree_ = change->degree;
    averager_->change_graph(
        std::move(change->neighbours[rank_]),
        change->dynamics);
  }
  algo::StepInfo info{
      .step = gradients_,
      .lr = algo::learning_rate(config_.lr, round, degree_)};
  if (config_.spec.clip > 0) {
    info.gradient_scale = algo::clip_factor(arena(), config_.spec.clip);
  }
  const record::SpanTimer timer(spans(), record::Span::kUpdate);
  replica_.move(*config_.rule, info, averager_->units());
  follow_weights(config_, arena());
  return info.lr;
}

void AsynchronousEngine::finish_gradient() {
  is_unfinished_ = false;
  if (averager_->is_isolated()) look_for_the_others();
  if (config_.spec.max_lag >= 0) {
    const record::SpanTimer timer(spans(), record::Span::kWait);
    averager_->hold_back(config_.spec.max_lag);
  }
  log_timeline(gradients_ - 1);
}

// The others learn of it by Averager::end.
Verdict AsynchronousEngine::agree(
    const Wishes& wishes,
    const Round& /*round*/) {
  Verdict verdict{.checkpoint = wishes.checkpoint};
  if (wishes.interrupt) verdict.stop = Outcome::kInterrupted;
  if (wishes.is_diverged.front()) verdict.stop = Outcome::kDiverged;
  return verdict;
}

double AsynchronousEngine::epoch_loss(
    const std::vector<double>& sums,
    int64_t rounds) {
  return sums.front() / static_cast<double>(rounds);
}

std::vector<mix::StepMeasures::Squares> AsynchronousEngine::squares() {
  const tensor::Layout& layout = arena().layout();
  return {
      {.parameters = tensor::squared_norms(layout, arena().parameters()),
       .gradients = tensor::squared_norms(layout, arena().gradients()),
       .updates = {}}};
}

// By rounds, so that all workers look at their replicas at about the same
// moment, however fast they are.
std::optional<int64_t> AsynchronousEngine::probe_number() {
  const int64_t every = config_.spec.probe_every;
  if (every <= 0) return std::nullopt;
  const int64_t period = rounds_of_run() / every;
  if (period <= probed_period_) return std::nullopt; // an estimate may fall
  probed_period_ = period;
  return period * every;
}

void AsynchronousEngine::evaluate_apart(const Round& round) {
  if (evaluates_.exchange(true)) return;
  if (evaluation_thread_.joinable()) evaluation_thread_.join();
  tensor::Arena& copy = context_.spare.arena();
  replica_.copy_to(averager_->units(), copy.parameters());
  std::ranges::copy(arena().buffers(), copy.buffers().begin());
  const graph::StepTime moment = round.moment;
  const int64_t number = rounds_of_run();
  const double seconds = context_.clock.training_seconds();
  evaluation_thread_ = std::jthread([this, moment, number, seconds] {
    use_one_torch_thread();
    try {
      evaluate_copy(moment, number, seconds);
    } catch (...) {
      evaluation_error_ = std::current_exception();
    }
    evaluates_ = false;
  });
}

void AsynchronousEngine::evaluate_copy(
    const graph::StepTime& moment,
    int64_t round,
    double seconds) {
  context_.spare.set_training(false);
  const Score score = context_.spare.score(*subset_);
  const Quality quality{
      .accuracy = score.correct / score.labels,
      .loss = score.loss / score.labels,
      .is_text = config_.dataset.test->has_tokens()};
  context_.log.replica_evaluation(
      moment,
      round,
      seconds,
      quality.accuracy,
      quality.loss);
  context_.best.offer(quality, moment.epoch + 1, &context_.spare.arena());
}

void AsynchronousEngine::check_evaluation() const {
  if (!evaluates_ && evaluation_error_) {
    std::rethrow_exception(evaluation_error_);
  }
}

void AsynchronousEngine::log_probe(
    const Round& round,
    std::optional<double> /*distance*/) {
  log_gossip(round.moment.step, exact_rounds(), false);
}

void AsynchronousEngine::log_gossip(int64_t step, double rounds, bool is_last) {
  Log::OwnGossip own{
      .seconds = context_.clock.training_seconds(),
      .rounds = rounds,
      .is_last = is_last};
  // Of a worker that was given no values so far there is nothing to compare.
  if (!averager_->is_fresh()) own.parameters = arena().parameters();
  context_.log.gossip(
      config_.moment(step),
      {averager_->statistics()},
      std::nullopt,
      own);
}

void AsynchronousEngine::log_epoch() {
  const gossip::Statistics statistics = averager_->statistics();
  // Beside the others, on the averaging thread.
  const double paired = statistics.pair_seconds;
  spans().add(record::Span::kExchange, paired - last_pair_seconds_);
  last_pair_seconds_ = paired;
  if (spans().total() == 0) return;
  const auto moment = context_.last_moment(gradients_);
  context_.log.pairs(moment, rank_, statistics);
  context_.log.spans(spans(), moment);
  spans().clear();
}

void AsynchronousEngine::log_timeline(int64_t step) {
  const auto pairs = averager_->pairs();
  if (!spans().timeline().listens()) return;
  std::vector<TimelineRow> rows = timeline_rows(spans().timeline());
  for (const gossip::PairPeriod& pair : pairs) {
    rows.push_back(row_of(
        {.span = record::Span::kExchange,
         .begin = pair.begin,
         .end = pair.end,
         .peer = pair.peer}));
  }
  context_.log.timeline(step, rank_, rows);
}

// The snapshot, which is the replica as the last gradient left it, with the
// state of the local rule. A companion begins as equal to it.
void AsynchronousEngine::write_checkpoint(nlohmann::json state) {
  auto planes = planes_to_store(arena(), config_.state_planes());
  mix::Traffic sent = earlier_traffic_;
  sent += traffic();
  const auto number = [&](const char* name) {
    return std::to_string(state.at(name).get<double>());
  };
  record::Metadata metadata = {
      {"gradients", std::to_string(gradients_)},
      {"counts", nlohmann::json(averager_->counts()).dump()},
      {"seconds", number("seconds")},
      {"training_seconds", number("training_seconds")},
      {"messages", std::to_string(sent.messages)},
      {"bytes", std::to_string(sent.bytes)}};
  const Best::Stored best = context_.best.stored();
  if (context_.best.is_wanted()) best.add_to(planes, metadata);
  context_.checkpoints.write_own(rank_, planes, metadata);
}

void AsynchronousEngine::stop_averaging() {
  const bool was_fresh = averager_->is_fresh();
  averager_->end();
  if (was_fresh && !averager_->is_fresh()) { // given values at the last moment
    replica_.refresh(averager_->units());
    begin_moving_average(config_, arena());
  }
  context_.log.membership(gradients_, averager_->membership());
  replica_.refresh(averager_->units()); // there were averagings since
  const std::vector<int64_t> counts = averager_->counts();
  const auto gradients = std::accumulate(counts.begin(), counts.end(), 0.0);
  log_gossip(
      std::max<int64_t>(gradients_ - 1, 0),
      gradients / config_.spec.n,
      true);
  log_epoch(); // one that was not finished
  final_loss_ = train_loss();
  if (evaluation_thread_.joinable()) evaluation_thread_.join();
  check_evaluation();
}

AsynchronousEngine::Planes AsynchronousEngine::copy_planes() {
  std::vector<algo::Plane> planes = {algo::Plane::kBuffers};
  if (config_.has_moving_average()) {
    planes.push_back(algo::Plane::kMovingAverage);
  }
  Planes copies;
  for (const auto plane : planes) {
    const auto values = algo::plane_of(arena(), plane);
    copies[plane].assign(values.begin(), values.end());
  }
  return copies;
}

TrainResult AsynchronousEngine::end(Outcome outcome, const Finish& finish) {
  stop_averaging();
  // What a try changes, and the next must find as it was.
  const Planes planes = copy_planes();
  const Best::State best = context_.best.state();
  const auto deadline = deadline_of(config_);
  while (true) {
    // Who still waits for the goodbye of one that is lost comes a deadline
    // later than the others.
    member::Gathering gathering = edges_.gather(Deadline::after(2 * deadline));
    members_ = gathering.members;
    mix::CommunicatorOptions options;
    options.deadline = deadline;
    options.chunk_bytes = config_.spec.bucket_bytes;
    cluster_ =
        mix::make_process_cluster(std::move(gathering.transport), options);
    try {
      return finish_together(outcome, finish);
    } catch (const TransportError&) {
      // Somebody died at the very end. What was left to do was to leave; else
      // the rest gathers again, for as long as it finds that worthwhile, and
      // begins with what it had.
      if (const auto result = result_without_it(
              edges_,
              context_.directory,
              config_.spec,
              context_.hooks)) {
        return *result;
      }
      if (!edges_.survives_loss()) throw;
    }
    cluster_.reset();
    for (const auto& [plane, values] : planes) {
      const auto now = algo::plane_of(arena(), plane);
      std::ranges::copy(values, now.begin());
    }
    context_.best.set_state(best);
  }
}

TrainResult AsynchronousEngine::finish_together(
    Outcome outcome,
    const Finish& finish) {
  replica_.copy_to(averager_->units(), arena().parameters());
  cluster_->attach({&arena()});
  FinalReports reports;
  for (const auto& row : cluster_->all_gather({to_row(report(outcome))}))
    reports.push_back(report_in(row));
  if (least(reports, &FinalReport::values) == FinalReport::kNone) {
    throw Error("all workers have come back without values: nothing is left");
  }
  replace_worse_values(reports);
  // A worker that was started again without a checkpoint knows of less.
  context_.clock.raise_to(
      most(reports, &FinalReport::seconds),
      most(reports, &FinalReport::training_seconds));
  const Ending ending = ending_of(reports);
  context_.last_train_loss = ending.train_loss;
  // A worker that was lost may have taken some of the last gradients along,
  // but the run is at its end unless it was cut short.
  const bool is_short = sum(reports, &FinalReport::gave_up) > 0;
  stored_step_ = is_short ? std::min(ending.steps, config_.total_steps)
                          : config_.total_steps;
  if (ending.has_best) share_best(reports);
  TrainResult result = finish(ending);
  if (ending.has_best) store_best();
  context_.log.end(members_, averager_->counts());
  context_.log.flush();
  leave(result);
  return result;
}

FinalReport AsynchronousEngine::report(Outcome outcome) const {
  const Best::State best = context_.best.state();
  const gossip::Statistics statistics = averager_->statistics();
  // What this worker has of its own where nobody gave it anything.
  const double before =
      has_checkpoint_ ? FinalReport::kOld : FinalReport::kNone;
  const bool has_own_statistics =
      !is_fresh_ || statistics.gradients >= kGradientsForStatistics;
  mix::Traffic sent = earlier_traffic_;
  sent += traffic();
  return {
      .interrupted = outcome == Outcome::kInterrupted ? 1.0 : 0.0,
      .diverged = outcome == Outcome::kDiverged ? 1.0 : 0.0,
      .gave_up = context_.best.gives_up() ? 1.0 : 0.0,
      .messages = static_cast<double>(sent.messages),
      .bytes = static_cast<double>(sent.bytes),
      .gradients = static_cast<double>(statistics.gradients),
      .averagings = static_cast<double>(statistics.averagings),
      .seconds = context_.clock.total_seconds(),
      .training_seconds = context_.clock.training_seconds(),
      .loss = final_loss_,
      .best_epoch = static_cast<double>(best.epoch),
      .best_accuracy = best.quality.accuracy,
      .best_loss = best.quality.loss,
      .values = averager_->is_fresh() ? before : FinalReport::kCurrent,
      .statistics = has_own_statistics ? FinalReport::kCurrent : before,
      .counts = averager_->counts()};
}

Ending AsynchronousEngine::ending_of(const FinalReports& reports) const {
  const double gradients = total_gradients(reports, config_.spec.n);
  const auto wanted = static_cast<double>(config_.spec.n * config_.total_steps);
  Ending ending;
  if (sum(reports, &FinalReport::diverged) > 0) {
    ending.outcome = Outcome::kDiverged;
  } else if (
      sum(reports, &FinalReport::interrupted) > 0 && gradients < wanted) {
    ending.outcome = Outcome::kInterrupted;
  }
  ending.steps = std::llround(gradients) / config_.spec.n;
  ending.train_loss =
      ending.outcome == Outcome::kDiverged ? std::nan("") : mean_loss(reports);
  ending.traffic = {
      .messages = std::llround(sum(reports, &FinalReport::messages)),
      .bytes = std::llround(sum(reports, &FinalReport::bytes))};
  ending.samples = gradients * static_cast<double>(config_.spec.batch);
  const double since = sum(reports, &FinalReport::gradients);
  if (since > 0) {
    ending.averagings_per_gradient =
        sum(reports, &FinalReport::averagings) / since;
  }
  ending.has_best = ending.outcome == Outcome::kCompleted;
  return ending;
}

// Over its last gradients, an epoch of them: what the unfinished epoch lacks
// counts as the mean of the one before.
double AsynchronousEngine::train_loss() const {
  const double sum = context_.epoch_losses.front();
  const auto done = static_cast<double>(context_.epoch_rounds);
  const double last = context_.last_train_loss;
  if (std::isnan(last)) return done > 0 ? sum / done : last;
  const auto whole = static_cast<double>(config_.steps_per_epoch());
  return (sum + (whole - done) * last) / whole;
}

// What follows the weights is as good as they are; statistics of batch norms
// are the worker's own.
void AsynchronousEngine::replace_worse_values(const FinalReports& reports) {
  std::vector<algo::Plane> weights = {algo::Plane::kParameters};
  if (config_.has_moving_average()) {
    weights.push_back(algo::Plane::kMovingAverage);
  }
  replace_worse(*cluster_, reports, &FinalReport::values, arena(), weights);
  replace_worse(
      *cluster_,
      reports,
      &FinalReport::statistics,
      arena(),
      {algo::Plane::kBuffers});
}

void AsynchronousEngine::share_best(const FinalReports& reports) {
  Best::State best;
  best_replica_.reset();
  for (int i = 0; i < cluster_->size(); ++i) {
    const Best::State theirs{
        .epoch = std::llround(reports[i].best_epoch),
        .quality = {
            .accuracy = reports[i].best_accuracy,
            .loss = reports[i].best_loss,
            .is_text = config_.dataset.test->has_tokens()}};
    if (theirs.epoch == 0 || !is_better(theirs.quality, best)) continue;
    best = theirs;
    best_replica_.reset();
    if (i == cluster_->hosted().front()) best_replica_ = theirs;
  }
  context_.best.set_state(best);
}

void AsynchronousEngine::store_best() {
  if (!config_.spec.keep_best || !best_replica_) return;
  // Unless the averaged model was better.
  const Quality best = context_.best.state().quality;
  if (best.accuracy != best_replica_->quality.accuracy ||
      best.loss != best_replica_->quality.loss) {
    return;
  }
  if (!context_.best.put_into(context_.spare.arena())) return;
  write_model(
      context_.directory.best_model(),
      config_.spec,
      context_.spare.arena(),
      best_replica_->epoch * config_.steps_per_epoch());
}

void AsynchronousEngine::average(std::span<const float> mean) {
  std::ranges::copy(mean, arena().parameters().begin());
  if (!config_.spec.check) return;
  const tensor::Layout& layout = arena().layout();
  mix::check_replicas_equal(
      layout,
      cluster_->all_gather(
          {mix::tensor_fingerprints(layout, arena().parameters())}),
      stored_step_);
}

// A checkpoint like that of any other run. Those who are missing are given the
// average, too: it is what all of them have.
void AsynchronousEngine::store_result(const nlohmann::json& state) {
  const auto planes = planes_to_store(arena(), config_.state_planes());
  context_.checkpoints.write_worker(stored_step_, rank_, planes);
  if (cluster_->is_root()) {
    for (int rank = 0; rank < config_.spec.n; ++rank) {
      if (std::ranges::binary_search(members_, rank)) continue;
      context_.checkpoints.write_worker(stored_step_, rank, planes);
    }
  }
  cluster_->barrier();
  if (!cluster_->is_root()) return;
  context_.checkpoints.commit(stored_step_, config_.spec.n, state);
}

// Once the result is kept, who is missing is of no importance.
void AsynchronousEngine::leave(TrainResult& result) {
  if (cluster_->is_root()) {
    if (options_.keep_result) options_.keep_result(result);
    result.is_complete = edges_.conclude().value_or(true);
    report_result(result, context_.hooks);
  }
  try {
    cluster_->barrier();
  } catch (const TransportError&) {
    if (!cluster_->is_root() && !edges_.is_concluded()) throw;
  }
}

std::optional<TrainResult> result_without_it(
    member::Edges& edges,
    const record::RunDirectory& directory,
    const spec::Spec& spec,
    const TrainHooks& hooks) {
  if (auto stored = stored_result(directory, spec)) {
    stored->was_stored = false; // but by this very run
    stored->is_complete = edges.conclude().value_or(false);
    return report_result(std::move(*stored), hooks);
  }
  // No other end leaves nothing behind.
  if (!edges.is_concluded()) return std::nullopt;
  TrainResult interrupted;
  interrupted.run = directory.path().string();
  interrupted.outcome = Outcome::kInterrupted;
  return interrupted;
}

} // namespace grapevine::run
