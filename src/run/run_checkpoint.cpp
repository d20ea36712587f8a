// A run's way into and out of checkpoints.
#include "base/error.h"
#include "run/broadcast.h"
#include "run/planes.h"
#include "run/restore_newest.h"
#include "run/run.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace grapevine::run {
namespace {

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

void Run::resume() {
  const auto resumed = restore_newest(checkpoints_, [&](const auto& candidate) {
    return restore(candidate);
  });
  if (!resumed) return;
  step_ = resumed->step;
  report_progress(fmt::format("resumed from step {}", step_), true);
}

std::string Run::restore(const record::CheckpointInfo& checkpoint) {
  const std::vector<std::string> state_planes = config_.state_planes();
  const auto restore_mine = [&](const record::CheckpointInfo&) {
    for (size_t i = 0; i < workers_.size(); ++i) {
      restore_planes(
          checkpoints_.read_worker(checkpoint, cluster_.hosted()[i]),
          state_planes,
          workers_[i].arena());
    }
    restore_state(checkpoint.state);
  };
  std::string problem = try_restore(checkpoint, cluster_.size(), restore_mine);
  if (!problem.empty() && hooks_.on_note) {
    hooks_.on_note("checkpoint passed over: " + problem);
  }
  // All fall back to the same one when one of them cannot read its file.
  if (cluster_.any(!problem.empty()) && problem.empty()) {
    problem = checkpoint.directory.string() + ": another worker cannot read it";
  }
  return problem;
}

void Run::restore_state(const nlohmann::json& state) {
  last_train_loss_ = state.at("train_loss").is_number()
                         ? state.at("train_loss").get<double>()
                         : std::nan("");
  const auto& sums = state.at("epoch_loss");
  for (size_t i = 0; i < workers_.size(); ++i) {
    const auto& sum = sums.at(cluster_.hosted()[i]);
    epoch_loss_[i] = sum.is_number() ? sum.get<double>() : std::nan("");
  }
  earlier_messages_ = state.at("messages");
  earlier_bytes_ = state.at("bytes");
  time_.set_earlier(state.at("seconds"), state.at("training_seconds"));
  // A run that was begun without asking for the best has none.
  if (best_ && state.contains("best")) best_->restore(state.at("best"));
  if (ada_) restore_ada(state.at("ada"), *ada_);
  if (clock_) {
    const auto clock = state.at("virtual_clock").get<std::vector<double>>();
    if (clock.size() != clock_->state().size()) {
      throw IoError("the virtual clock is that of another cluster");
    }
    clock_->restore(clock);
  }
}

void Run::checkpoint() {
  time_.pause_training();
  const std::vector<std::string> state_planes = config_.state_planes();
  // A run that goes on from here knows nothing of what came before.
  if (step_ > 0) record_spans();
  records_->flush();
  cluster_.for_each([&](int index) {
    const auto planes = planes_to_store(workers_[index].arena(), state_planes);
    checkpoints_.write_worker(step_, cluster_.hosted()[index], planes);
  });
  mix::Rows mine;
  const mix::Traffic traffic = cluster_.traffic();
  for (size_t i = 0; i < workers_.size(); ++i) {
    // The hosted workers' traffic is booked on the first of them.
    mine.push_back(
        {epoch_loss_[i],
         i == 0 ? static_cast<double>(traffic.messages) : 0,
         i == 0 ? static_cast<double>(traffic.bytes) : 0});
  }
  // Also the barrier behind which all files are there.
  const mix::Rows rows = cluster_.all_gather(mine);
  cluster_.barrier();
  if (cluster_.is_root()) {
    nlohmann::json sums = nlohmann::json::array();
    int64_t messages = earlier_messages_;
    int64_t bytes = earlier_bytes_;
    for (const std::vector<double>& row : rows) {
      sums.push_back(row[0]);
      messages += std::llround(row[1]);
      bytes += std::llround(row[2]);
    }
    nlohmann::json state = {
        {"attempt", attempt_},
        {"train_loss", last_train_loss_},
        {"epoch_loss", sums},
        {"messages", messages},
        {"bytes", bytes},
        {"seconds", time_.total_seconds()},
        {"training_seconds", training_seconds()}};
    if (best_) state["best"] = best_->state();
    if (ada_) state["ada"] = ada_state(*ada_);
    if (clock_) state["virtual_clock"] = clock_->state();
    checkpoints_.commit(step_, cluster_.size(), state);
  }
  time_.checkpoint_written();
  time_.resume_training();
}

bool Run::checkpoint_is_due(bool epoch_ended) {
  const int64_t every = config_.spec.checkpoint_every;
  if (step_ == config_.total_steps) return false;
  const bool is_due = time_.checkpoint_is_due(every, step_, epoch_ended);
  // By time, the first process decides for all.
  return every == 0 && epoch_ended ? broadcast(cluster_, is_due) : is_due;
}

} // namespace grapevine::run
