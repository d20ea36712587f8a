#include "run/log.h"

#include "record/consensus.h"
#include "record/dispersion.h"
#include "run/numbers.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace grapevine::run {
namespace {

using Json = nlohmann::json;

Json record_at(const char* type, const graph::StepTime& moment) {
  return {{"type", type}, {"step", moment.step}, {"epoch", moment.epoch}};
}

} // namespace

Log::Log(
    const std::filesystem::path& file,
    const RunConfig& config,
    int attempt)
    : config_(config),
      attempt_(attempt),
      writer_(file) {}

void Log::attempt(
    int64_t step,
    const std::vector<int>& hosted,
    const std::string& transport,
    const tensor::Layout& layout,
    bool own_steps) {
  Json record = {
      {"type", "attempt"},
      {"attempt", attempt_},
      {"step", step},
      {"workers", hosted},
      {"transport", transport},
      {"steps_per_epoch", config_.steps_per_epoch()},
      {"tensors", Json::array()}};
  for (const auto& tensor : layout.tensors())
    record["tensors"].push_back(tensor.name);
  if (own_steps) record["own_steps"] = true;
  append(record);
}

void Log::step(
    const Round& round,
    const mix::Traffic& traffic,
    double seconds) {
  Json record = record_at("step", round.moment);
  record.update(
      {{"attempt", attempt_},
       {"lr", round.lr},
       {"degree", round.degree},
       {"messages", traffic.messages - last_traffic_.messages},
       {"bytes", traffic.bytes - last_traffic_.bytes},
       {"seconds", seconds},
       {"loss", round.losses}});
  if (round.of_run) record["round"] = *round.of_run;
  if (round.virtual_seconds) record["virtual_seconds"] = *round.virtual_seconds;
  append(record);
  last_traffic_ = traffic;
}

void Log::norms(
    const Round& round,
    const mix::Rows& rows,
    const std::vector<double>& gradient_norms) {
  mix::Rows norms;
  for (const std::vector<double>& row : rows) {
    const auto tensors = static_cast<int64_t>(row.size() / 3);
    norms.emplace_back(row.begin(), row.begin() + tensors);
  }
  Json record = {
      {"type", "norms"},
      {"step", round.moment.step},
      {"norms", norms},
      {"gradient_norms", gradient_norms}};
  if (round.of_run) record["round"] = *round.probe;
  append(record);
}

void Log::dispersion(
    const graph::StepTime& moment,
    const mix::Rows& rows,
    double consensus_distance) {
  Json record = record_at("dispersion", moment);
  record["consensus_distance"] = consensus_distance;
  std::vector<double> values(rows.size());
  const auto column = [&](size_t at) -> const std::vector<double>& {
    for (size_t i = 0; i < rows.size(); ++i)
      values[i] = rows[i][at];
    return values;
  };
  const std::vector<record::Metric>& metrics = record::metric_table();
  const size_t tensors = rows.front().size() / 3;
  for (size_t tensor = 0; tensor < tensors; ++tensor) {
    const std::vector<double> spreads = record::measure_all(column(tensor));
    for (size_t i = 0; i < metrics.size(); ++i)
      record[metrics[i].name].push_back(spreads[i]);
    record["gradient_norm"].push_back(mean_of(column(tensors + tensor)));
    record["update_ratio"].push_back(mean_of(column(2 * tensors + tensor)));
  }
  append(record);
}

void Log::density(int64_t step, double spread, double level, int k) {
  append(
      {{"type", "density"},
       {"step", step},
       {"spread", spread},
       {"level", level},
       {"k", k}});
}

void Log::evaluation(
    const Evaluation& evaluation,
    const graph::StepTime& moment,
    double seconds,
    double train_loss) {
  Json record = record_at("evaluation", moment);
  record.update(
      {{"seconds", seconds},
       {"train_loss", train_loss},
       {"test_accuracy", evaluation.test_accuracy},
       {"test_loss", evaluation.test_loss},
       {"averaged_model_accuracy", evaluation.averaged_model_accuracy},
       {"averaged_model_loss", evaluation.averaged_model_loss}});
  if (const auto averaged = evaluation.averaged_model_perplexity()) {
    record["test_perplexity"] = evaluation.test_perplexity();
    record["averaged_model_perplexity"] = *averaged;
  }
  if (evaluation.averaged_model_top5) {
    record["test_top5"] = evaluation.test_top5;
    record["averaged_model_top5"] = *evaluation.averaged_model_top5;
  }
  if (evaluation.ema_accuracy) {
    record["ema_accuracy"] = *evaluation.ema_accuracy;
    record["ema_loss"] = *evaluation.ema_loss;
  }
  if (evaluation.bleu) record["bleu"] = *evaluation.bleu;
  append(record);
}

void Log::replica_evaluation(
    const graph::StepTime& moment,
    int64_t round,
    double seconds,
    double accuracy,
    double loss) {
  Json record = record_at("replica_evaluation", moment);
  record.update(
      {{"round", round},
       {"seconds", seconds},
       {"test_accuracy", accuracy},
       {"test_loss", loss}});
  append(record);
}

void Log::spans(const record::Spans& spans, const graph::StepTime& moment) {
  Json record = record_at("spans", moment);
  for (const record::Span span : record::kAllSpans) {
    record["seconds"][std::string(record::name(span))] = spans.seconds(span);
  }
  append(record);
}

void Log::waits(
    const graph::StepTime& moment,
    int worker,
    const std::vector<double>& seconds) {
  Json record = record_at("waits", moment);
  record["worker"] = worker;
  record["seconds"] = seconds;
  append(record);
}

void Log::timeline(
    int64_t step,
    int worker,
    const std::vector<TimelineRow>& rows) {
  Json events = Json::array();
  for (const TimelineRow& row : rows) {
    events.push_back({row.span, row.begin, row.duration, row.bucket, row.peer});
  }
  append(
      {{"type", "timeline"},
       {"step", step},
       {"worker", worker},
       {"events", events}});
}

void Log::gossip(
    const graph::StepTime& moment,
    const std::vector<gossip::Statistics>& workers,
    std::optional<double> consensus_distance,
    const std::optional<OwnGossip>& own) {
  Json record = record_at("gossip", moment);
  for (const gossip::Statistics& worker : workers) {
    record["gradients"].push_back(worker.gradients);
    record["averagings"].push_back(worker.averagings);
    record["staleness"].push_back(worker.staleness);
    record["staleness_most"].push_back(worker.staleness_most);
    record["wait_seconds"].push_back(worker.wait_seconds);
    record["wait_most"].push_back(worker.wait_most);
    record["pair_seconds"].push_back(worker.pair_seconds);
    record["held_seconds"].push_back(worker.held_seconds);
  }
  if (consensus_distance) record["consensus_distance"] = *consensus_distance;
  if (own) {
    record["seconds"] = own->seconds;
    record["rounds"] = own->rounds;
    if (own->parameters) {
      record["sketch"] = {record::sketch(*own->parameters, config_.spec.seed)};
    }
    if (own->is_last) record["is_last"] = true;
  }
  append(record);
}

void Log::pairs(
    const graph::StepTime& moment,
    int worker,
    const gossip::Statistics& statistics) {
  Json record = record_at("pairs", moment);
  record["worker"] = worker;
  for (const char* key : {"peers", "averagings", "seconds"})
    record[key] = Json::array();
  for (const auto& [peer, pair] : statistics.pairs) {
    record["peers"].push_back(peer);
    record["averagings"].push_back(pair.averagings);
    record["seconds"].push_back(pair.seconds);
  }
  append(record);
}

void Log::membership(
    int64_t step,
    const std::vector<gossip::MembershipChange>& changes) {
  for (const gossip::MembershipChange& change : changes) {
    append(
        {{"type", "membership"},
         {"step", step},
         {"seconds", change.seconds},
         {"worker", change.rank},
         {"is_there", change.is_there},
         {"why", change.why}});
  }
}

void Log::end(
    const std::vector<int>& members,
    const std::vector<int64_t>& gradients) {
  append({{"type", "end"}, {"members", members}, {"gradients", gradients}});
}

} // namespace grapevine::run
