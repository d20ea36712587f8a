#include "run/gossip_run.h"

#include "algo/clip.h"
#include "base/heap.h"
#include "gossip/neighbours.h"
#include "run/gossip_config.h"
#include "run/moving_average.h"
#include "run/numbers.h"
#include "run/planes.h"
#include "run/run_directory_setup.h"
#include "run/run_records.h"
#include "run/timeline_record.h"
#include "run/torch_threads.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace grapevine::run {

GossipRun::GossipRun(
    const RunConfig& config,
    member::Edges& edges,
    record::RunDirectory directory,
    GossipRunOptions options,
    const TrainHooks& hooks)
    : config_(config),
      edges_(edges),
      rank_(edges.rank()),
      directory_(std::move(directory)),
      checkpoints_(directory_),
      options_(options),
      hooks_(hooks),
      graph_(config_),
      degree_(config_.schedule->at({})->degree()) {
  {
    const ShortLivedBlocks heap;
    workers_.emplace_back(config_.worker_options());
  }
  spare_ = std::make_unique<Worker>(config_.spare_options());
  tensor::Arena& arena = workers_[0].arena();
  load_initial_values(config_, workers_);
  begin_moving_average(config_, arena);
  if (const auto best = Best::wanted_by(config_.spec)) {
    best_ = std::make_unique<BestReplica>(*best, config_.spec.keep_best);
  }
  replica_ = std::make_unique<gossip::Replica>(
      arena,
      gossip_dynamics(config_),
      config_.spec.bucket_bytes);
  is_fresh_ = options_.returns || options_.resumes;
  restore();
  if (config_.spec.eval_every > 0) {
    subset_ =
        draw_evaluation_set(*config_.dataset.test, evaluator_options(config_));
  }
  records_ = std::make_unique<record::RecordWriter>(directory_.records(rank_));
  averager_ = std::make_unique<gossip::Averager>(
      *replica_,
      edges_,
      gossip::neighbours_in(*config_.schedule)[rank_],
      gossip::AveragerOptions{
          .total_gradients = config_.spec.n * config_.total_steps,
          .seed = config_.spec.seed,
          .deadline = std::chrono::duration<double>(config_.spec.deadline),
          .is_fresh = is_fresh_,
          .counts_before = counts_before_});
}

GossipRun::~GossipRun() = default;

TrainResult GossipRun::run() {
  time_.begin();
  if (!options_.returns) {
    averager_->wait_for_neighbours(
        std::chrono::duration<double>(config_.spec.deadline));
  }
  if (is_fresh_) take_values();
  record_attempt();
  while (!averager_->is_ending())
    train_step();
  time_.pause_training();
  report_progress("coming to the end", true);
  const bool was_fresh = averager_->is_fresh();
  averager_->end();
  if (was_fresh && !averager_->is_fresh()) { // given values at the last moment
    replica_->refresh(averager_->units());
    begin_moving_average(config_, workers_[0].arena());
  }
  record_membership();
  record_last_gossip();
  record_spans(); // of an epoch that was not finished
  if (evaluation_thread_.joinable()) evaluation_thread_.join();
  check_evaluation();
  return finish();
}

void GossipRun::train_step() {
  check_evaluation();
  const Stopwatch watch;
  tensor::Arena& arena = workers_[0].arena();
  spans_.timeline().listen(is_traced(config_.spec, gradients_));
  {
    const record::SpanTimer timer(spans_, record::Span::kData);
    config_.gather(rank_, gradients_, batch_);
  }
  GradientOptions options = config_.gradient_options(rank_, gradients_);
  options.weight = config_.batch_weight(gradients_, batch_.samples());
  loss_ = workers_[0].compute_gradient(batch_, options, spans_);
  if (config_.spec.check) workers_[0].verify_bound();
  const int64_t round = rounds();
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
    info.gradient_scale = algo::clip_factor(arena, config_.spec.clip);
  }
  {
    const record::SpanTimer timer(spans_, record::Span::kUpdate);
    replica_->move(*config_.rule, info, averager_->units());
    follow_weights(config_, arena);
  }
  averager_->gradient_done(
      watch.seconds(),
      gossip::allowance(
          gossip_averagings(config_),
          config_.spec.rate,
          config_.spec.seed,
          rank_,
          gradients_));
  record_step(round, info.lr);
  if (probe_is_due()) probe();
  ++gradients_;
  if (!std::isfinite(loss_)) diverged_ = true;
  if (hooks_.interrupt != nullptr && *hooks_.interrupt) interrupted_ = true;
  if (diverged_ || interrupted_ || (best_ && best_->gives_up())) {
    averager_->ask_for_end();
  }
  epoch_loss_ += loss_;
  ++epoch_gradients_;
  if (gradients_ % config_.steps_per_epoch() == 0) {
    last_train_loss_ = epoch_loss_ / static_cast<double>(epoch_gradients_);
    epoch_loss_ = 0;
    epoch_gradients_ = 0;
    const int64_t epoch = gradients_ / config_.steps_per_epoch();
    if (subset_ && epoch % config_.spec.eval_every == 0) begin_evaluation();
    record_spans();
  }
  if (checkpoint_is_due()) checkpoint();
  report_progress("training", false);
  if (averager_->is_isolated()) look_for_the_others();
  if (config_.spec.max_lag >= 0) {
    const record::SpanTimer timer(spans_, record::Span::kWait);
    averager_->hold_back(config_.spec.max_lag);
  }
  record_timeline(gradients_ - 1);
}

// A neighbour's, where one gives them in time; who has a checkpoint does not
// wait for long, since the others may be in the same situation.
void GossipRun::take_values() {
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
  replica_->refresh(averager_->units());
  if (!keeps_its_own && !averager_->is_fresh()) {
    begin_moving_average(config_, workers_[0].arena());
  }
  // What the others know that this worker had done before it was lost.
  gradients_ = averager_->counts()[rank_];
}

// They may have come to the end while this worker was away.
void GossipRun::look_for_the_others() {
  constexpr double kEverySeconds = 1;
  if (since_look_.seconds() < kEverySeconds) return;
  since_look_.restart();
  if (edges_.is_gathering() || stored_result(directory_, config_.spec)) {
    averager_->ask_for_end();
  }
}

int64_t GossipRun::rounds() const {
  return static_cast<int64_t>(exact_rounds());
}

double GossipRun::exact_rounds() const {
  return averager_->total_estimate() / config_.spec.n;
}

// By rounds, so that all workers look at their replicas at about the same
// moment, however fast they are.
bool GossipRun::probe_is_due() {
  const int64_t every = config_.spec.probe_every;
  if (every <= 0) return false;
  const int64_t period = rounds() / every;
  if (period <= probed_period_) return false; // an estimate may fall
  probed_period_ = period;
  return true;
}

// A copy of the replica on the subset, beside the training; none is begun
// while another is under way.
void GossipRun::begin_evaluation() {
  if (evaluates_.exchange(true)) return;
  if (evaluation_thread_.joinable()) evaluation_thread_.join();
  replica_->copy_to(averager_->units(), spare_->arena().parameters());
  std::ranges::copy(
      workers_[0].arena().buffers(),
      spare_->arena().buffers().begin());
  const graph::StepTime moment = config_.moment(gradients_ - 1);
  const int64_t round = rounds();
  const double seconds = training_seconds();
  evaluation_thread_ = std::jthread([this, moment, round, seconds] {
    use_one_torch_thread();
    try {
      evaluate_copy(moment, round, seconds);
    } catch (...) {
      evaluation_error_ = std::current_exception();
    }
    evaluates_ = false;
  });
}

void GossipRun::evaluate_copy(
    const graph::StepTime& moment,
    int64_t round,
    double seconds) {
  spare_->set_training(false);
  const Score score = spare_->score(*subset_);
  const Quality quality{
      .accuracy = score.correct / score.labels,
      .loss = score.loss / score.labels,
      .is_text = config_.dataset.test->has_tokens()};
  records_->append(
      {{"type", "replica_evaluation"},
       {"step", moment.step},
       {"round", round},
       {"epoch", moment.epoch},
       {"seconds", seconds},
       {"test_accuracy", quality.accuracy},
       {"test_loss", quality.loss}});
  if (best_) best_->offer(quality, moment.epoch + 1, spare_->arena());
}

void GossipRun::check_evaluation() const {
  if (!evaluates_ && evaluation_error_) {
    std::rethrow_exception(evaluation_error_);
  }
}

bool GossipRun::checkpoint_is_due() {
  return time_.checkpoint_is_due(
      config_.spec.checkpoint_every,
      gradients_,
      true);
}

// The snapshot, which is the replica as the last gradient left it, with the
// state of the local rule. A companion begins anew as equal to it.
void GossipRun::checkpoint() {
  time_.pause_training();
  records_->flush();
  const tensor::Arena& arena = workers_[0].arena();
  auto planes = planes_to_store(arena, config_.state_planes());
  record::Metadata metadata = {
      {"gradients", std::to_string(gradients_)},
      {"counts", nlohmann::json(averager_->counts()).dump()},
      {"seconds", std::to_string(time_.total_seconds())},
      {"training_seconds", std::to_string(training_seconds())},
      {"messages", std::to_string(earlier_messages_ + averager_->messages())},
      {"bytes", std::to_string(earlier_bytes_ + averager_->bytes())}};
  BestReplica::Stored best;
  if (best_) {
    best = best_->stored();
    add_best(best, planes, metadata);
  }
  checkpoints_.write_own(rank_, planes, metadata);
  time_.checkpoint_written();
  time_.resume_training();
}

void GossipRun::restore() {
  try {
    const auto file = checkpoints_.read_own(rank_);
    if (!file) return;
    tensor::Arena& arena = workers_[0].arena();
    restore_planes(*file, config_.state_planes(), arena);
    counts_before_ = nlohmann::json::parse(file->metadata.at("counts"))
                         .get<std::vector<int64_t>>();
    gradients_ = std::stoll(file->metadata.at("gradients"));
    time_.set_earlier(
        std::stod(file->metadata.at("seconds")),
        std::stod(file->metadata.at("training_seconds")));
    earlier_messages_ = std::stoll(file->metadata.at("messages"));
    earlier_bytes_ = std::stoll(file->metadata.at("bytes"));
    counts_before_.resize(config_.spec.n);
    counts_before_[rank_] = gradients_;
    if (best_) best_->restore(*file, arena);
  } catch (const std::exception& error) {
    if (hooks_.on_note) {
      hooks_.on_note(
          fmt::format("own checkpoint passed over: {}", error.what()));
    }
    return;
  }
  const std::vector<float> values(
      workers_[0].arena().parameters().begin(),
      workers_[0].arena().parameters().end());
  replica_->begin_from(values, 0);
  has_checkpoint_ = true;
  // Where the others have gone on meanwhile, theirs are newer, and to average
  // with them would pull them back.
  is_fresh_ = options_.returns;
}

void GossipRun::report_progress(const std::string& phase, bool force) {
  if (!hooks_.on_progress || rank_ != 0) return;
  if (!progress_pace_.is_due(force)) return;
  hooks_.on_progress(make_progress(
      config_,
      phase,
      std::min(rounds(), config_.total_steps),
      {loss_},
      evaluation_,
      degree_,
      training_seconds()));
}

} // namespace grapevine::run
