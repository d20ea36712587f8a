// A virtual asynchronous run's way into and out of checkpoints: between two
// events, with all that is under way.
#include "base/error.h"
#include "run/planes.h"
#include "run/restore_newest.h"
#include "run/virtual_gossip_run.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace grapevine::run {
bool VirtualGossipRun::checkpoint_is_due() {
  return time_.checkpoint_is_due(
      config_.spec.checkpoint_every,
      rounds_seen_,
      rounds_seen_ % config_.steps_per_epoch() == 0);
}

// The file's parameters are the replica, as elsewhere; what the model and the
// engine have beside it has names of its own.
void VirtualGossipRun::checkpoint() {
  time_.pause_training();
  records_->flush();
  jobs_->drain();
  const std::vector<std::string> state_planes = config_.state_planes();
  cluster_.for_each([&](int i) {
    tensor::Arena& arena = workers_[i].arena();
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
    if (!engine_->sent(i).empty()) {
      planes.push_back(plane_view("sent", engine_->sent(i)));
    }
    checkpoints_.write_worker(rounds(), i, planes);
  });
  nlohmann::json state = {
      {"attempt", attempt_},
      {"train_loss", last_train_loss_},
      {"losses", losses_},
      {"round_losses", round_losses_},
      {"epoch_losses", epoch_losses_},
      {"gossip", engine_->state()},
      {"seconds", time_.total_seconds()},
      {"training_seconds", training_seconds()}};
  if (best_) state["best"] = best_->state();
  checkpoints_.commit(rounds(), cluster_.size(), state);
  time_.checkpoint_written();
  time_.resume_training();
}

void VirtualGossipRun::resume() {
  const auto resumed = restore_newest(checkpoints_, [&](const auto& candidate) {
    const std::string problem =
        try_restore(candidate, cluster_.size(), [&](const auto& checkpoint) {
          restore(checkpoint);
        });
    if (!problem.empty() && hooks_.on_note) {
      hooks_.on_note("checkpoint passed over: " + problem);
    }
    return problem;
  });
  if (!resumed) return;
  report_progress(fmt::format("resumed from step {}", rounds()), true);
}

void VirtualGossipRun::restore(const record::CheckpointInfo& checkpoint) {
  const nlohmann::json& state = checkpoint.state;
  const auto numbers = [&](const char* name) {
    std::vector<double> values;
    for (const nlohmann::json& value : state.at(name))
      values.push_back(value.is_number() ? value.get<double>() : std::nan(""));
    return values;
  };
  losses_ = numbers("losses");
  round_losses_ = numbers("round_losses");
  epoch_losses_ = numbers("epoch_losses");
  last_train_loss_ = state.at("train_loss").is_number()
                         ? state.at("train_loss").get<double>()
                         : std::nan("");
  time_.set_earlier(state.at("seconds"), state.at("training_seconds"));
  // A run that was begun without asking for the best has none.
  if (best_ && state.contains("best")) best_->restore(state.at("best"));
  restores_ = true; // their gradients are in the file
  engine_->restore(state.at("gossip"));
  restores_ = false;
  for (int i = 0; i < cluster_.size(); ++i) {
    const record::Safetensors file = checkpoints_.read_worker(checkpoint, i);
    tensor::Arena& arena = workers_[i].arena();
    restore_planes(file, config_.state_planes(), arena);
    restore_plane(file, "parameters", replicas_[i]->x());
    restore_plane(file, "snapshot", arena.parameters());
    restore_plane(file, "gradients", arena.gradients());
    if (!replicas_[i]->y().empty()) {
      restore_plane(file, "companion", replicas_[i]->y());
    }
    if (!engine_->sent(i).empty()) {
      restore_plane(file, "sent", engine_->sent(i));
    }
  }
  rounds_seen_ = rounds();
  last_traffic_ = traffic();
}

} // namespace grapevine::run
