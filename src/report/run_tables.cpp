#include "report/run_tables.h"

#include "base/check.h"
#include "report/record_fields.h"

#include <algorithm>
#include <cmath>

namespace grapevine::report {
namespace {

// Runs of up to so many steps lose nothing before the curves are made.
constexpr int kFine = 4096;
constexpr size_t kMostDegreeChanges = 4096;
constexpr size_t kMostWorkers = 1 << 20;
constexpr size_t kMostFields = 64; // whose columns are remembered

using record::RecordLine;

std::vector<std::string> texts(
    const simdjson::dom::object& fields,
    std::string_view key) {
  std::vector<std::string> texts;
  simdjson::dom::array array;
  if (fields.at_key(key).get(array) != simdjson::SUCCESS) return texts;
  for (const simdjson::dom::element element : array) {
    std::string_view text;
    if (element.get(text) != simdjson::SUCCESS) text = "?";
    texts.emplace_back(text);
  }
  return texts;
}

// Returns the step of a line. Workers of an asynchronous run that have a
// process each count their own gradients; what they have in common is the
// round of a line, n gradients of all, which is what a step is elsewhere.
int64_t round_of(const RecordLine& line) {
  int64_t round = 0;
  const bool has_one =
      line.fields.at_key("round").get(round) == simdjson::SUCCESS &&
      round >= 0 && round <= Buckets::kLargestStep;
  return has_one ? round : line.step;
}

// Whether a worker does it by itself.
bool is_compute(std::string_view span) {
  return span == "data" || span == "forward" || span == "backward" ||
         span == "update";
}

} // namespace

RunTables::RunTables(
    GossipReader gossip_reader,
    std::unique_ptr<DetailReader> detail_reader)
    : gossip(std::move(gossip_reader)),
      detail(std::move(detail_reader)) {
  for (const record::SeriesTable& schema : record::series_tables()) {
    if (schema.is_cumulative) continue; // the reader of gossip's own
    std::vector<std::string> keys;
    for (const record::Series& series : schema.series)
      keys.push_back(series.key);
    if (schema.name == "steps") {
      for (const record::AxisSeries& axis : record::axis_series())
        keys.push_back(axis.name);
    }
    const auto columns = static_cast<int>(keys.size());
    tables.emplace_back(&schema, std::move(keys), Buckets(kFine, columns));
  }
}

RunTables::Table& RunTables::table(std::string_view name) {
  const auto found = std::ranges::find_if(tables, [&](const Table& table) {
    return table.schema->name == name;
  });
  GV_CHECK(found != tables.end());
  return *found;
}

Cell& RunTables::Table::cell(int64_t step, std::string_view series) {
  return values.at(step)[schema->index(series)];
}

int RunTables::Table::column(size_t position, std::string_view key) {
  if (position < seen_.size() && seen_[position].first == key) {
    return seen_[position].second;
  }
  const auto found = std::ranges::find(keys, key);
  const int column =
      found == keys.end() ? -1 : static_cast<int>(found - keys.begin());
  if (position == seen_.size() && position < kMostFields) {
    seen_.emplace_back(key, column);
  }
  return column;
}

void RunTables::take(const RecordLine& line) {
  if (line.step < 0 || line.step > Buckets::kLargestStep) return;
  const int64_t step = round_of(line);
  for (Table& table : tables) {
    if (table.schema->type == line.type) take_series(line, step, table);
  }
  if (line.type == "step") {
    take_step(line, step);
  } else if (line.type == "norms") {
    if (detail) detail->add_norms(step, workers_, line.fields);
  } else if (line.type == "dispersion") {
    take_dispersion(line);
  } else if (line.type == "evaluation") {
    take_evaluation(line);
  } else if (line.type == "replica_evaluation") {
    take_replica_evaluation(line);
  } else if (line.type == "spans") {
    take_spans(line);
  } else if (line.type == "virtual_spans") {
    take_virtual_spans(line);
  } else if (line.type == "waits") {
    take_waits(line);
  } else if (line.type == "attempt") {
    take_attempt(line);
  } else {
    gossip.take(line);
  }
}

// One pass over the fields: the lines of steps are nearly all of a long run.
void RunTables::take_series(
    const RecordLine& line,
    int64_t step,
    Table& table) {
  const std::span<Cell> cells = table.values.at(step);
  size_t position = 0;
  for (const auto& [key, value] : line.fields) {
    const int column = table.column(position++, key);
    if (column < 0) continue;
    for_numbers(value, [&](double number) { cells[column].add(number); });
  }
}

void RunTables::take_attempt(const RecordLine& line) {
  workers_.clear();
  for_numbers(line.fields, "workers", [&](size_t, double worker) {
    const bool is_rank = worker >= 0 && worker < 1e9;
    workers_.push_back(is_rank ? static_cast<int>(worker) : -1);
  });
  steps_per_epoch = number_at(line.fields, "steps_per_epoch");
  std::string_view transport;
  const bool is_virtual =
      line.fields.at_key("transport").get(transport) == simdjson::SUCCESS &&
      transport == "virtual";
  gossip.begin(workers_, is_virtual);
  if (detail) detail->set_tensors(texts(line.fields, "tensors"));
}

void RunTables::take_step(const RecordLine& line, int64_t step) {
  note_degree(step, number_at(line.fields, "degree"));
  last_step = std::max(last_step, step);
  if (number_at(line.fields, "epoch") == 1 &&
      (second_epoch < 0 || step < second_epoch)) {
    second_epoch = step;
  }
}

// All processes record the same, so only steps beyond those seen count.
void RunTables::note_degree(int64_t step, double degree) {
  if (step <= last_step || !std::isfinite(degree)) return;
  if (degrees.size() >= kMostDegreeChanges) return;
  if (degrees.empty() || degrees.back().degree != degree) {
    degrees.push_back({step, degree});
  }
}

void RunTables::take_evaluation(const RecordLine& line) {
  if (evaluated_.size() < kFine) evaluated_.insert(line.step);
  Cell accuracy;
  for_numbers(line.fields, "test_accuracy", [&](size_t, double value) {
    accuracy.add(value);
  });
  note_accuracy(line.step, accuracy);
}

void RunTables::note_accuracy(int64_t step, const Cell& accuracy) {
  const bool is_better =
      accuracy.count > 0 &&
      (milestones.empty() || accuracy.mean() > milestones.back().accuracy);
  if (is_better) {
    milestones.push_back({.step = step, .accuracy = accuracy.mean()});
  }
}

// At the end of the epoch that is nearest in rounds.
void RunTables::take_replica_evaluation(const RecordLine& line) {
  if (!(steps_per_epoch >= 1)) return;
  const auto rounds = static_cast<double>(round_of(line) + 1);
  const double epoch = std::max(1.0, std::round(rounds / steps_per_epoch));
  const auto last_step = static_cast<int64_t>(epoch * steps_per_epoch) - 1;
  if (replica_evaluations_.size() >= kFine) return;
  Evaluated& evaluated = replica_evaluations_[last_step];
  evaluated.accuracy.add(number_at(line.fields, "test_accuracy"));
  evaluated.loss.add(number_at(line.fields, "test_loss"));
}

void RunTables::finish(int workers) {
  std::vector<Milestone> own = std::exchange(milestones, {});
  auto next = own.begin();
  for (const auto& [step, evaluated] : replica_evaluations_) {
    if (evaluated_.contains(step) || step > last_step) continue;
    if (2 * evaluated.accuracy.count < workers) continue;
    for (; next != own.end() && next->step < step; ++next)
      milestones.push_back(*next);
    Table& evaluations = table("evaluations");
    evaluations.cell(step, "accuracy").merge(evaluated.accuracy);
    evaluations.cell(step, "loss").merge(evaluated.loss);
    note_accuracy(step, evaluated.accuracy);
  }
  for (; next != own.end(); ++next) {
    if (milestones.empty() || next->accuracy > milestones.back().accuracy) {
      milestones.push_back(*next);
    }
  }
  for (const ReplicaDistances::Point& point : gossip.distances()) {
    table("probes").cell(point.round, "consensus_distance").add(point.distance);
  }
}

void RunTables::take_dispersion(const RecordLine& line) {
  if (number_at(line.fields, "epoch") == 0) {
    for_numbers(line.fields, "gini", [&](size_t tensor, double value) {
      if (tensor == 0) first_gini.add(value);
    });
  }
  if (detail) detail->add_dispersion(line.step, line.fields);
}

void RunTables::take_spans(const RecordLine& line) {
  simdjson::dom::object seconds;
  if (line.fields.at_key("seconds").get(seconds) != simdjson::SUCCESS) return;
  for (const auto& [key, value] : seconds) {
    const double number = number_of(value);
    if (!std::isfinite(number)) continue;
    spans[std::string(key)] += number;
    if (is_compute(key) && workers_.size() == 1 && !has_virtual_waits) {
      compute[workers_.front()] += number;
    }
  }
}

void RunTables::take_virtual_spans(const RecordLine& line) {
  simdjson::dom::object seconds;
  if (line.fields.at_key("seconds").get(seconds) != simdjson::SUCCESS) return;
  for (const auto& [key, value] : seconds) {
    const double number = number_of(value);
    if (std::isfinite(number)) virtual_spans[std::string(key)] += number;
  }
}

void RunTables::take_waits(const RecordLine& line) {
  const double worker = number_at(line.fields, "worker");
  if (!(worker >= 0 && worker < kMostWorkers)) return;
  const auto rank = static_cast<int>(worker);
  bool is_virtual = false;
  if (line.fields.at_key("virtual").get(is_virtual) != simdjson::SUCCESS) {
    is_virtual = false;
  }
  if (is_virtual && !has_virtual_waits) {
    has_virtual_waits = true;
    waits.clear();
    compute.clear();
  }
  if (is_virtual != has_virtual_waits) return;
  // Without a list of them, all workers of the run.
  std::vector<double> peers;
  const bool lists_peers = !line.fields.at_key("peers").error();
  for_numbers(line.fields, "peers", [&](size_t, double peer) {
    peers.push_back(peer);
  });
  for_numbers(line.fields, "seconds", [&](size_t index, double seconds) {
    if (lists_peers && index >= peers.size()) return;
    const double peer = lists_peers ? peers[index] : static_cast<double>(index);
    if (!(peer >= 0 && peer < kMostWorkers)) return;
    if (!std::isfinite(seconds)) return;
    waits[{rank, static_cast<int>(peer)}] += seconds;
  });
  const double computed = number_at(line.fields, "compute");
  if (is_virtual && std::isfinite(computed)) compute[rank] += computed;
}

} // namespace grapevine::report
