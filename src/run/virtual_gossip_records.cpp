// What a virtual asynchronous run writes down between two events.
#include "run/gossip_config.h"
#include "run/numbers.h"
#include "run/run_records.h"
#include "run/virtual_gossip_run.h"
#include "spec/spec_table.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace grapevine::run {

void VirtualGossipRun::record_round() {
  const mix::Traffic now = traffic();
  const graph::StepTime moment = config_.moment(rounds_seen_ - 1);
  nlohmann::json record = {
      {"type", "step"},
      {"step", moment.step},
      {"epoch", moment.epoch},
      {"attempt", attempt_},
      {"lr", lr_},
      {"degree", degree_},
      {"messages", now.messages - last_traffic_.messages},
      {"bytes", now.bytes - last_traffic_.bytes},
      {"seconds", training_seconds()},
      {"loss", round_losses_}};
  if (const auto seconds = virtual_seconds()) {
    record["virtual_seconds"] = *seconds;
  }
  records_->append(record);
  last_traffic_ = now;
}

void VirtualGossipRun::record_timelines() {
  for (size_t i = 0; i < timelines_.size(); ++i) {
    if (timelines_[i].empty()) continue;
    records_->append(
        timeline_record(rounds_seen_ - 1, static_cast<int>(i), timelines_[i]));
    timelines_[i].clear();
  }
}

// Norms and distances are those of the replicas between two events; gradients
// are the last that each worker has computed.
void VirtualGossipRun::probe() {
  time_.pause_training();
  const graph::StepTime moment = config_.moment(rounds_seen_ - 1);
  {
    const Shown shown(*this);
    const tensor::Layout& layout = workers_.front().arena().layout();
    const auto tensors = static_cast<int64_t>(layout.tensors().size());
    mix::Rows norms(workers_.size());
    mix::Rows rows(workers_.size());
    std::vector<double> gradient_norms(workers_.size());
    cluster_.for_each([&](int i) {
      const tensor::Arena& arena = workers_[i].arena();
      for (const double square : squared_norms(layout, arena.parameters()))
        norms[i].push_back(std::sqrt(square));
      rows[i] = norms[i];
      const auto squares = squared_norms(layout, arena.gradients());
      for (const double square : squares)
        rows[i].push_back(std::sqrt(square));
      rows[i].resize(3 * tensors, std::nan(""));
      gradient_norms[i] = std::sqrt(sum_of(squares));
    });
    const double distance = shown_distance();
    records_->append(
        {{"type", "norms"},
         {"step", moment.step},
         {"norms", norms},
         {"gradient_norms", gradient_norms}});
    records_->append(dispersion_record(rows, tensors, moment, distance));
    record_gossip(distance);
  }
  time_.resume_training();
}

void VirtualGossipRun::record_gossip(double distance) {
  std::vector<gossip::Statistics> statistics;
  statistics.reserve(cluster_.size());
  for (int i = 0; i < cluster_.size(); ++i)
    statistics.push_back(engine_->statistics(i));
  nlohmann::json record = gossip_record(
      config_.moment(std::max<int64_t>(rounds_seen_ - 1, 0)),
      statistics);
  record["consensus_distance"] = distance;
  records_->append(record);
}

void VirtualGossipRun::record_pairs() {
  const auto moment = config_.moment(std::max<int64_t>(rounds_seen_ - 1, 0));
  for (int i = 0; i < cluster_.size(); ++i)
    records_->append(pairs_record(moment, i, engine_->statistics(i)));
}

// While they are shown.
double VirtualGossipRun::shown_distance() {
  return consensus_distance(cluster_, workers_, spare_->arena().parameters());
}

} // namespace grapevine::run
