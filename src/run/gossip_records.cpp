// What a process of an asynchronous run writes down while it trains: of its own
// worker alone, since nobody is asked for theirs.
#include "record/consensus.h"
#include "run/gossip_config.h"
#include "run/gossip_run.h"
#include "run/run_records.h"
#include "run/timeline_record.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace grapevine::run {

void GossipRun::record_attempt() {
  nlohmann::json attempt = attempt_record(
      options_.attempt,
      gradients_,
      {rank_},
      edges_.name(),
      config_,
      workers_[0].arena().layout());
  attempt["own_steps"] = true; // each worker counts its own gradients
  records_->append(attempt);
}

void GossipRun::record_step(int64_t round, double lr) {
  const int64_t messages = averager_->messages();
  const int64_t bytes = averager_->bytes();
  records_->append(
      {{"type", "step"},
       {"step", gradients_},
       {"round", round},
       {"epoch", config_.moment(gradients_).epoch},
       {"attempt", options_.attempt},
       {"lr", lr},
       {"degree", degree_},
       {"messages", messages - last_messages_},
       {"bytes", bytes - last_bytes_},
       {"seconds", training_seconds()},
       {"loss", {loss_}}});
  last_messages_ = messages;
  last_bytes_ = bytes;
  record_membership();
}

void GossipRun::record_membership() {
  for (const gossip::MembershipChange& change : averager_->membership()) {
    records_->append(
        {{"type", "membership"},
         {"step", gradients_},
         {"seconds", change.seconds},
         {"worker", change.rank},
         {"is_there", change.is_there},
         {"why", change.why}});
  }
}

void GossipRun::probe() {
  const tensor::Arena& arena = workers_[0].arena();
  std::vector<double> norms;
  for (const double square :
       squared_norms(arena.layout(), arena.parameters())) {
    norms.push_back(std::sqrt(square));
  }
  const double gradient =
      std::sqrt(tensor::squared_norm(arena.layout(), arena.gradients()));
  records_->append(
      {{"type", "norms"},
       {"step", gradients_},
       {"round", probed_period_ * config_.spec.probe_every},
       {"norms", {norms}},
       {"gradient_norms", {gradient}}});
  record_gossip(gradients_, exact_rounds(), false);
}

void GossipRun::record_last_gossip() {
  replica_->refresh(averager_->units()); // there were averagings since
  const std::vector<int64_t> counts = averager_->counts();
  const auto gradients = std::accumulate(counts.begin(), counts.end(), 0.0);
  record_gossip(
      std::max<int64_t>(gradients_ - 1, 0),
      gradients / config_.spec.n,
      true);
}

void GossipRun::record_gossip(int64_t step, double rounds, bool is_last) {
  nlohmann::json record =
      gossip_record(config_.moment(step), {averager_->statistics()});
  record["seconds"] = training_seconds();
  record["rounds"] = rounds;
  // Of a worker that was given no values so far there is nothing to compare.
  if (!averager_->is_fresh()) {
    record["sketch"] = {
        record::sketch(workers_[0].arena().parameters(), config_.spec.seed)};
  }
  if (is_last) record["is_last"] = true;
  records_->append(record);
}

void GossipRun::record_spans() {
  const gossip::Statistics statistics = averager_->statistics();
  // Beside the others, on the averaging thread.
  const double paired = statistics.pair_seconds;
  spans_.add(record::Span::kExchange, paired - last_pair_seconds_);
  last_pair_seconds_ = paired;
  if (spans_.total() == 0) return;
  const auto moment = config_.moment(std::max<int64_t>(gradients_ - 1, 0));
  records_->append(pairs_record(moment, rank_, statistics));
  records_->append(spans_record(spans_, moment));
  spans_.clear();
}

void GossipRun::record_timeline(int64_t step) {
  const auto pairs = averager_->pairs();
  if (!spans_.timeline().listens()) return;
  std::vector<TimelineRow> rows;
  for (const record::Event& event : spans_.timeline().events())
    rows.push_back(row_of(event));
  for (const gossip::PairPeriod& pair : pairs) {
    rows.push_back(row_of(
        {.span = record::Span::kExchange,
         .begin = pair.begin,
         .end = pair.end,
         .peer = pair.peer}));
  }
  records_->append(timeline_record(step, rank_, rows));
}

} // namespace grapevine::run
