#include "run/engines/virtual_time.h"

#include "algo/clip.h"
#include "gossip/control_channel.h"
#include "gossip/neighbours.h"
#include "run/numbers.h"
#include "run/planes.h"
#include "run/replicas.h"
#include "run/virtual_clock.h"
#include "run/worker.h"
#include "spec/spec_table.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace grapevine::run {

VirtualTimeEngine::VirtualTimeEngine(RunContext& context, mix::Cluster& cluster)
    : context_(context),
      config_(context.config),
      cluster_(cluster),
      attachment_(cluster, arenas_of(context.workers)),
      graph_(config_),
      degree_(config_.schedule->at({})->degree()),
      losses_(cluster.size()),
      round_losses_(cluster.size()),
      timelines_(cluster.size()) {
  const spec::Spec& spec = config_.spec;
  const gossip::Dynamics dynamics = gossip_dynamics(config_);
  std::vector<gossip::Replica*> replicas;
  for (Worker& worker : context_.workers) {
    replicas_.push_back(std::make_unique<gossip::Replica>(
        worker.arena(),
        dynamics,
        spec.bucket_bytes));
    replicas.push_back(replicas_.back().get());
  }
  sim::VirtualGossipHost& host = *this;
  events_ = std::make_unique<sim::VirtualGossip>(
      sim::VirtualGossipOptions{
          .neighbours = gossip::neighbours_in(*config_.schedule),
          .averagings = gossip_averagings(config_),
          .rate = spec.rate,
          .max_lag = spec.max_lag,
          .seed = spec.seed,
          .total_gradients = cluster.size() * config_.total_steps,
          .times = make_gossip_times(spec, context_.spare.arena().layout()),
          .check = spec.check},
      std::move(replicas),
      *config_.rule,
      host);
  jobs_ =
      std::make_unique<JobQueue>(cluster.threads() - 1, use_one_torch_thread);
}

VirtualTimeEngine::~VirtualTimeEngine() = default;

int64_t VirtualTimeEngine::rounds() const {
  return events_->gradients() / cluster_.size();
}

std::optional<Round> VirtualTimeEngine::advance() {
  follow_graph();
  while (events_->advance()) {
    if (rounds() == rounds_seen_) continue;
    rounds_seen_ = rounds();
    return finish_round();
  }
  return std::nullopt;
}

Round VirtualTimeEngine::finish_round() {
  Round round{
      .moment = config_.moment(rounds_seen_ - 1),
      .lr = lr_,
      .degree = degree_,
      .losses = round_losses_,
      .virtual_seconds = virtual_seconds()};
  round.is_last = rounds_seen_ == config_.total_steps;
  round.ends_epoch =
      rounds_seen_ % config_.steps_per_epoch() == 0 || round.is_last;
  if (config_.is_probed(round.moment.step)) round.probe = round.moment.step;
  for (size_t i = 0; i < timelines_.size(); ++i) {
    if (timelines_[i].empty()) continue;
    context_.log.timeline(
        round.moment.step,
        static_cast<int>(i),
        timelines_[i]);
    timelines_[i].clear();
  }
  return round;
}

void VirtualTimeEngine::follow_graph() {
  follow_graph([this](int worker) { return events_->units(worker); });
}

void VirtualTimeEngine::follow_graph(
    const std::function<double(int)>& flowed_until) {
  const auto change = graph_.change_at(rounds());
  if (!change) return;
  degree_ = change->degree;
  events_->change_graph(change->neighbours);
  for (size_t i = 0; i < replicas_.size(); ++i) {
    replicas_[i]->set_dynamics(
        change->dynamics,
        flowed_until(static_cast<int>(i)));
  }
}

void VirtualTimeEngine::begin_gradient(int worker, int64_t gradient) {
  if (restores_) return;
  jobs_->start(worker, [this, worker, gradient] { compute(worker, gradient); });
}

void VirtualTimeEngine::compute(int worker, int64_t gradient) {
  const BatchPool::Lease lease(batches_);
  config_.gather(worker, gradient, lease.batch());
  record::Spans spans;
  GradientOptions options = config_.gradient_options(worker, gradient);
  options.weight = config_.batch_weight(gradient, lease.batch().samples());
  Worker& replica = context_.workers[worker];
  losses_[worker] = replica.compute_gradient(lease.batch(), options, spans);
  if (config_.spec.check) replica.verify_bound();
}

algo::StepInfo
VirtualTimeEngine::finish_gradient(int worker, int64_t gradient, int64_t done) {
  jobs_->finish(worker);
  lr_ = algo::learning_rate(config_.lr, done / cluster_.size(), degree_);
  algo::StepInfo info{.step = gradient, .lr = lr_};
  if (config_.spec.clip > 0) {
    info.gradient_scale =
        algo::clip_factor(context_.workers[worker].arena(), config_.spec.clip);
  }
  return info;
}

void VirtualTimeEngine::gradient_done(int worker, int64_t, int64_t) {
  round_losses_[worker] = losses_[worker];
  // The snapshot is the replica as the gradient has left it.
  follow_weights(config_, context_.workers[worker].arena());
  if (!is_traced(config_.spec, rounds_seen_)) return;
  timelines_[worker].push_back(
      virtual_row("gradient", events_->began(worker), events_->now()));
}

void VirtualTimeEngine::pair_done(int a, int b, double since) {
  if (!is_traced(config_.spec, rounds_seen_)) return;
  const double now = events_->now();
  timelines_[a].push_back(virtual_row("exchange", since, now, b));
  timelines_[b].push_back(virtual_row("exchange", since, now, a));
}

Verdict VirtualTimeEngine::agree(const Wishes& wishes, const Round& round) {
  if (std::ranges::find(wishes.is_diverged, true) != wishes.is_diverged.end()) {
    return {.stop = Outcome::kDiverged};
  }
  if (round.is_last) return {};
  if (wishes.interrupt) return {.stop = Outcome::kInterrupted};
  return {.checkpoint = wishes.checkpoint};
}

double VirtualTimeEngine::epoch_loss(
    const std::vector<double>& sums,
    int64_t rounds) {
  return mean_of(sums) / static_cast<double>(rounds);
}

// The replicas take the place of the models' snapshots; no gradient is in
// progress meanwhile.
void VirtualTimeEngine::show() {
  jobs_->drain();
  hide();
}

void VirtualTimeEngine::hide() {
  cluster_.for_each([&](int index) {
    std::ranges::swap_ranges(
        context_.workers[index].arena().parameters(),
        replicas_[index]->x());
  });
}

// The replicas between two events, and the last gradient that each worker has
// computed.
std::vector<mix::StepMeasures::Squares> VirtualTimeEngine::squares() {
  std::vector<mix::StepMeasures::Squares> squares(replicas_.size());
  cluster_.for_each([&](int index) {
    const tensor::Arena& arena = context_.workers[index].arena();
    squares[index].parameters =
        tensor::squared_norms(arena.layout(), arena.parameters());
    squares[index].gradients =
        tensor::squared_norms(arena.layout(), arena.gradients());
  });
  return squares;
}

std::vector<gossip::Statistics> VirtualTimeEngine::statistics() const {
  std::vector<gossip::Statistics> statistics;
  for (int i = 0; i < cluster_.size(); ++i)
    statistics.push_back(events_->statistics(i));
  return statistics;
}

void VirtualTimeEngine::log_probe(
    const Round& round,
    std::optional<double> distance) {
  context_.log.gossip(round.moment, statistics(), distance);
}

void VirtualTimeEngine::log_epoch() {
  const auto moment = context_.last_moment(rounds_seen_);
  for (int i = 0; i < cluster_.size(); ++i)
    context_.log.pairs(moment, i, events_->statistics(i));
}

void VirtualTimeEngine::log_end(double distance) {
  context_.log.gossip(
      context_.last_moment(rounds_seen_),
      statistics(),
      distance);
  log_epoch();
}

mix::Traffic VirtualTimeEngine::traffic() const {
  const int64_t plane = context_.spare.arena().layout().size() *
                        static_cast<int64_t>(sizeof(float));
  return {
      .messages = events_->words() + events_->transfers(),
      .bytes =
          events_->words() * gossip::control_message_bytes(cluster_.size()) +
          events_->transfers() * plane};
}

std::optional<double> VirtualTimeEngine::virtual_seconds() const {
  if (!spec::has_virtual_clock(config_.spec)) return std::nullopt;
  return events_->now();
}

TrainResult VirtualTimeEngine::end(Outcome outcome, const Finish& finish) {
  if (outcome != Outcome::kDiverged) follow_graph();
  Ending ending{
      .outcome = outcome,
      .steps = rounds(),
      .train_loss = outcome == Outcome::kDiverged ? std::nan("")
                                                  : context_.last_train_loss,
      .traffic = traffic(),
      .samples = static_cast<double>(events_->gradients() * config_.spec.batch),
      .virtual_seconds = virtual_seconds()};
  double gradients = 0;
  double averagings = 0;
  for (const gossip::Statistics& worker : statistics()) {
    gradients += static_cast<double>(worker.gradients);
    averagings += static_cast<double>(worker.averagings);
  }
  if (gradients > 0) ending.averagings_per_gradient = averagings / gradients;
  return finish(ending);
}

// The run's last exchange.
void VirtualTimeEngine::average(std::span<const float> mean) {
  cluster_.for_each([&](int index) {
    std::ranges::copy(mean, replicas_[index]->x().begin());
  });
}

// Between two events, with all that is in progress. The file's parameters are
// the replica, as elsewhere; what the model and the events have beside it has
// names of its own.
void VirtualTimeEngine::write_checkpoint(nlohmann::json state) {
  follow_graph();
  jobs_->drain();
  const std::vector<std::string> state_planes = config_.state_planes();
  cluster_.for_each([&](int i) {
    const tensor::Arena& arena = context_.workers[i].arena();
    auto planes = planes_to_store(arena, state_planes);
    std::erase_if(planes, [](const auto& plane) {
      return plane.name == "parameters";
    });
    planes.push_back(plane_view("parameters", replicas_[i]->x()));
    planes.push_back(plane_view("snapshot", arena.parameters()));
    planes.push_back(plane_view("gradients", arena.gradients()));
    if (!replicas_[i]->y().empty()) {
      planes.push_back(plane_view("companion", replicas_[i]->y()));
    }
    if (!events_->sent(i).empty()) {
      planes.push_back(plane_view("sent", events_->sent(i)));
    }
    context_.checkpoints.write_worker(rounds(), i, planes);
  });
  state["losses"] = losses_;
  state["round_losses"] = round_losses_;
  state["epoch_losses"] = context_.epoch_losses;
  state["gossip"] = events_->state();
  context_.checkpoints.commit(rounds(), cluster_.size(), state);
}

void VirtualTimeEngine::resume() {
  restore_newest(
      context_.checkpoints,
      cluster_,
      [&](const auto& candidate) { restore(candidate); },
      [&](const std::string& problem) { context_.note(problem); });
  rounds_seen_ = rounds();
  context_.epoch_rounds = rounds_seen_ % config_.steps_per_epoch();
  context_.log.set_traffic(traffic());
  // What has flowed before an interruption did so by these constants already.
  follow_graph([](int) { return 0.0; });
}

void VirtualTimeEngine::restore(const record::CheckpointInfo& checkpoint) {
  const nlohmann::json& state = checkpoint.state;
  losses_ = numbers_or_nan(state.at("losses"));
  round_losses_ = numbers_or_nan(state.at("round_losses"));
  context_.epoch_losses = numbers_or_nan(state.at("epoch_losses"));
  context_.restore(state);
  restores_ = true; // their gradients are in the file
  events_->restore(state.at("gossip"));
  restores_ = false;
  for (int i = 0; i < cluster_.size(); ++i) {
    const record::Safetensors file =
        context_.checkpoints.read_worker(checkpoint, i);
    tensor::Arena& arena = context_.workers[i].arena();
    restore_planes(file, config_.state_planes(), arena);
    restore_plane(file, "parameters", replicas_[i]->x());
    restore_plane(file, "snapshot", arena.parameters());
    restore_plane(file, "gradients", arena.gradients());
    if (!replicas_[i]->y().empty()) {
      restore_plane(file, "companion", replicas_[i]->y());
    }
    if (!events_->sent(i).empty()) {
      restore_plane(file, "sent", events_->sent(i));
    }
  }
}

} // namespace grapevine::run
