#include "run/run.h"

#include "base/check.h"
#include "run/numbers.h"
#include "run/replicas.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace grapevine::run {

void Engine::store_result(const nlohmann::json& state) {
  write_checkpoint(state);
}

Run::Run(RunContext& context, Engine& engine)
    : context_(context),
      config_(context.config),
      engine_(engine),
      checkpoint_policy_{
          .every = config_.spec.checkpoint_every,
          .seconds = config_.checkpoint_seconds} {
  engine_.resume();
  if (engine_.rounds() == 0) return;
  report_progress(fmt::format("resumed from step {}", engine_.rounds()), true);
}

TrainResult Run::run() {
  context_.clock.begin();
  engine_.begin();
  const bool is_alone = engine_.cluster() == nullptr;
  context_.log.attempt(
      engine_.rounds(),
      context_.hosted,
      engine_.transport(),
      context_.spare.arena().layout(),
      is_alone);
  const Outcome outcome = train();
  context_.clock.pause_training();
  if (is_alone) report_progress("coming to the end", true);
  return engine_.end(outcome, [&](const Ending& ending) {
    return finish(ending);
  });
}

Outcome Run::train() {
  // An earlier attempt may have come to its early end.
  while (!context_.best.gives_up()) {
    const std::optional<Round> round = engine_.advance();
    if (!round) break;
    losses_ = round->losses;
    for (size_t i = 0; i < losses_.size(); ++i)
      context_.epoch_losses[i] += losses_[i];
    ++context_.epoch_rounds;
    context_.log.step(
        *round,
        engine_.traffic(),
        context_.clock.training_seconds());
    if (round->probe) probe(*round);

    const Verdict verdict = engine_.agree(wishes(*round), *round);
    if (verdict.stop == Outcome::kDiverged) return Outcome::kDiverged;
    if (round->ends_epoch) finish_epoch(*round);
    if (round->is_last) continue;
    if (context_.best.gives_up()) break;
    if (verdict.stop) return *verdict.stop;
    if (verdict.checkpoint || checkpoint_policy_.is_due_at(engine_.rounds())) {
      write_checkpoint();
    }
    report_progress("training", false);
  }
  return Outcome::kCompleted;
}

Wishes Run::wishes(const Round& round) const {
  Wishes wishes;
  const auto* interrupt = context_.hooks.interrupt;
  wishes.interrupt = interrupt != nullptr && *interrupt;
  wishes.checkpoint = checkpoint_policy_.is_due_after(
      context_.clock.seconds_since_checkpoint());
  for (const double loss : round.losses)
    wishes.is_diverged.push_back(!std::isfinite(loss));
  return wishes;
}

// The last epoch of a run is evaluated at its end.
void Run::finish_epoch(const Round& round) {
  context_.clock.pause_training();
  context_.last_train_loss =
      engine_.epoch_loss(context_.epoch_losses, context_.epoch_rounds);
  std::ranges::fill(context_.epoch_losses, 0.0);
  context_.epoch_rounds = 0;
  if (!round.is_last) {
    if (is_evaluation_due(round)) {
      if (engine_.cluster() == nullptr) {
        engine_.evaluate_apart(round);
      } else {
        evaluate(engine_.rounds(), false);
        evaluated_at_ = engine_.rounds();
      }
    }
    engine_.log_epoch();
    context_.log.flush();
  }
  context_.clock.resume_training();
}

bool Run::is_evaluation_due(const Round& round) const {
  const int64_t every = config_.spec.eval_every;
  return every > 0 && (round.moment.epoch + 1) % every == 0;
}

void Run::probe(const Round& round) {
  // What a synchronous step measures on its way belongs to it.
  if (config_.is_asynchronous()) context_.clock.pause_training();
  const Shown shown(engine_);
  mix::Rows rows;
  std::vector<double> gradient_norms;
  for (const auto& squares : engine_.squares()) {
    std::vector<double>& row = rows.emplace_back();
    for (const double square : squares.parameters)
      row.push_back(std::sqrt(square));
    for (const double square : squares.gradients)
      row.push_back(std::sqrt(square));
    for (size_t t = 0; t < squares.parameters.size(); ++t) {
      row.push_back(
          squares.updates.empty()
              ? std::nan("")
              : std::sqrt(squares.updates[t] / squares.parameters[t]));
    }
    gradient_norms.push_back(std::sqrt(sum_of(squares.gradients)));
  }
  context_.log.norms(round, rows, gradient_norms);
  std::optional<double> distance;
  if (mix::Cluster* cluster = engine_.cluster()) {
    const std::span<float> mean = context_.spare.arena().parameters();
    // A synchronous step is too short to look at all of them.
    distance = config_.is_asynchronous()
                   ? consensus_distance(*cluster, context_.workers, mean)
                   : consensus_distance(
                         *cluster,
                         context_.workers,
                         record::consensus_sample(
                             static_cast<int64_t>(mean.size()),
                             config_.spec.seed,
                             round.moment.step),
                         mean);
    rows = cluster->gather(rows);
    if (cluster->is_root()) {
      context_.log.dispersion(round.moment, rows, *distance);
    }
  }
  engine_.log_probe(round, distance);
  context_.clock.resume_training();
}

void Run::evaluate(int64_t steps, bool translates) {
  report_progress("evaluating", true);
  if (!evaluator_) {
    evaluator_.emplace(
        context_.workers,
        context_.spare,
        *config_.dataset.test,
        evaluator_options(config_));
  }
  mix::Cluster& cluster = *engine_.cluster();
  {
    const Shown shown(engine_);
    const Stopwatch watch;
    evaluation_ = evaluator_->evaluate(cluster);
    if (translates) evaluator_->translate(cluster, *evaluation_);
    context_.spans[0].add(
        record::Span::kEvaluate,
        cluster.threads() * watch.seconds());
  }
  const graph::StepTime moment = context_.last_moment(steps);
  if (cluster.is_root()) {
    context_.log.evaluation(
        *evaluation_,
        moment,
        context_.clock.training_seconds(),
        context_.last_train_loss);
  }
  const bool is_kept =
      context_.best.offer(quality_of_mean(*evaluation_), moment.epoch + 1);
  // The evaluation has left the averaged model there.
  if (is_kept && cluster.is_root()) {
    write_model(
        context_.directory.best_model(),
        config_.spec,
        context_.spare.arena(),
        steps);
  }
  report_progress("training", true);
}

nlohmann::json Run::state() const {
  nlohmann::json state = {
      {"attempt", context_.attempt},
      {"train_loss", context_.last_train_loss},
      {"seconds", context_.clock.total_seconds()},
      {"training_seconds", context_.clock.training_seconds()}};
  if (context_.best.is_wanted()) state["best"] = context_.best.to_json();
  return state;
}

void Run::write_checkpoint() {
  context_.clock.pause_training();
  context_.log.flush();
  engine_.write_checkpoint(state());
  context_.clock.checkpoint_written();
  context_.clock.resume_training();
}

void Run::evaluate_at_the_end(const Ending& ending) {
  const bool is_complete = ending.outcome == Outcome::kCompleted;
  if (evaluated_at_ != engine_.rounds()) {
    evaluate(ending.steps, is_complete);
  } else if (is_complete) {
    // It was not known to be the last then.
    const Shown shown(engine_);
    evaluator_->translate(*engine_.cluster(), *evaluation_);
  }
}

TrainResult Run::finish(const Ending& ending) {
  if (ending.outcome == Outcome::kInterrupted) {
    report_progress("writing a checkpoint", true);
    write_checkpoint();
    context_.clock.pause_training();
  } else {
    evaluate_at_the_end(ending);
  }
  TrainResult result;
  result.run = context_.directory.path().string();
  result.outcome = ending.outcome;
  result.steps = ending.steps;
  result.epochs = ending.steps / config_.steps_per_epoch();
  result.train_loss = ending.train_loss;
  result.messages = ending.traffic.messages;
  result.bytes = ending.traffic.bytes;
  result.virtual_seconds = ending.virtual_seconds;
  if (ending.averagings_per_gradient) {
    result.averagings_per_gradient = ending.averagings_per_gradient;
    result.asked_rate = config_.spec.rate;
  }
  add_evaluation(evaluation_, result);
  if (ending.has_best) context_.best.add_to(result);
  mix::Cluster& cluster = *engine_.cluster();
  const std::span<float> mean = context_.spare.arena().parameters();
  {
    const Shown shown(engine_);
    result.consensus_distance =
        consensus_distance(cluster, context_.workers, mean);
  }
  engine_.log_end(result.consensus_distance);
  if (ending.outcome == Outcome::kCompleted) {
    engine_.average(mean);
    if (checkpoint_policy_.keeps_result()) engine_.store_result(state());
  }
  {
    const Shown shown(engine_);
    result.parameters_sha256 = cluster.parameters_sha256();
  }
  context_.log.flush();
  result.seconds = context_.clock.total_seconds();
  const double training = context_.clock.training_seconds();
  result.samples_per_second = training > 0 ? ending.samples / training : 0;
  return result;
}

void Run::report_progress(const std::string& phase, bool force) {
  if (!context_.hooks.on_progress || !context_.is_root()) return;
  if (!progress_pace_.is_due(force)) return;
  const int64_t steps = std::min(engine_.rounds_of_run(), config_.total_steps);
  Progress progress;
  progress.phase = phase;
  progress.step = steps;
  progress.steps = config_.total_steps;
  progress.epoch = context_.last_moment(steps).epoch + 1;
  progress.epochs = context_.last_moment(config_.total_steps).epoch + 1;
  progress.loss = losses_.empty() ? 0 : mean_of(losses_);
  if (evaluation_) {
    progress.test_accuracy = evaluation_->mean_accuracy();
    progress.averaged_model_accuracy = evaluation_->averaged_model_accuracy;
    progress.test_perplexity = evaluation_->mean_perplexity();
  }
  progress.degree = engine_.degree();
  const double seconds = context_.clock.training_seconds();
  if (steps > 0 && seconds > 0) {
    const double per_step = seconds / static_cast<double>(steps);
    // The last step stands for all.
    progress.samples_per_second =
        static_cast<double>(config_.samples_in_step(steps - 1)) / per_step;
    progress.seconds_left =
        per_step * static_cast<double>(config_.total_steps - steps);
  }
  context_.hooks.on_progress(progress);
}

} // namespace grapevine::run
