#include "report/run_tables.h"

#include "record/metrics/metric.h"
#include "report/record_fields.h"

#include <cmath>

namespace grapevine::report {
namespace {

// Runs of up to so many steps lose nothing before the curves are made.
constexpr int kFine = 4096;
constexpr size_t kMostDegreeChanges = 4096;
constexpr size_t kMostWorkers = 1 << 20;

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

// Workers of an asynchronous run that have a process each count their own
// gradients. What they have in common is the round of a line, n gradients of
// all, which is what a step is elsewhere.
int64_t round_of(const RecordLine& line) {
  int64_t round = 0;
  const bool has_one =
      line.fields.at_key("round").get(round) == simdjson::SUCCESS &&
      round >= 0 && round <= Buckets::kLargestStep;
  return has_one ? round : line.step;
}

// What a worker does by itself.
bool is_compute(std::string_view span) {
  return span == "data" || span == "forward" || span == "backward" ||
         span == "update";
}

} // namespace

std::vector<std::string> probe_columns() {
  std::vector<std::string> names;
  for (const record::Metric& metric : record::metric_table())
    names.push_back(metric.name);
  names.insert(
      names.end(),
      {"consensus_distance", "gradient_norm", "update_ratio"});
  return names;
}

RunTables::RunTables(
    GossipTables gossip_tables,
    std::unique_ptr<DetailReader> detail_reader)
    : steps(kFine, kStepColumns),
      evaluations(kFine, kEvaluationColumns),
      probes(kFine, static_cast<int>(probe_columns().size())),
      density(kFine, kDensityColumns),
      gossip(std::move(gossip_tables)),
      detail(std::move(detail_reader)),
      probe_names_(probe_columns()) {}

void RunTables::take(const RecordLine& line) {
  if (line.step < 0 || line.step > Buckets::kLargestStep) return;
  if (line.type == "step") {
    take_step(line);
  } else if (line.type == "norms") {
    if (detail) detail->add_norms(round_of(line), workers_, line.fields);
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
  } else if (line.type == "density") {
    const std::span<Cell> cells = density.at(line.step);
    cells[kSpread].add(number_at(line.fields, "spread"));
    cells[kLevel].add(number_at(line.fields, "level"));
    cells[kK].add(number_at(line.fields, "k"));
  } else {
    gossip.take(line);
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

void RunTables::take_step(const RecordLine& line) {
  const int64_t step = round_of(line);
  const std::span<Cell> cells = steps.at(step);
  double epoch = kNan;
  double degree = kNan;
  // One pass over the fields: these lines are nearly all of a long run.
  for (const auto& [key, value] : line.fields) {
    if (key == "loss") {
      for_numbers(value, [&](double loss) { cells[kLoss].add(loss); });
    } else if (key == "epoch") {
      epoch = number_of(value);
    } else if (key == "degree") {
      degree = number_of(value);
    } else if (key == "lr") {
      cells[kLr].add(number_of(value));
    } else if (key == "bytes") {
      cells[kBytes].add(number_of(value));
    } else if (key == "messages") {
      cells[kMessages].add(number_of(value));
    } else if (key == "seconds") {
      cells[kSeconds].add(number_of(value));
    } else if (key == "virtual_seconds") {
      cells[kVirtualSeconds].add(number_of(value));
    }
  }
  cells[kDegree].add(degree);
  note_degree(step, degree);
  last_step = std::max(last_step, step);
  if (epoch == 1 && (second_epoch < 0 || step < second_epoch)) {
    second_epoch = step;
  }
}

// All processes say the same, so only what goes beyond the steps seen counts.
void RunTables::note_degree(int64_t step, double degree) {
  if (step <= last_step || !std::isfinite(degree)) return;
  if (degrees.size() >= kMostDegreeChanges) return;
  if (degrees.empty() || degrees.back().degree != degree) {
    degrees.push_back({step, degree});
  }
}

void RunTables::take_evaluation(const RecordLine& line) {
  const std::span<Cell> cells = evaluations.at(line.step);
  Cell accuracy;
  for_numbers(line.fields, "test_accuracy", [&](size_t, double value) {
    accuracy.add(value);
  });
  cells[kAccuracy].merge(accuracy);
  if (evaluated_.size() < kFine) evaluated_.insert(line.step);
  for_numbers(line.fields, "test_loss", [&](size_t, double value) {
    cells[kTestLoss].add(value);
  });
  cells[kAveragedAccuracy].add(
      number_at(line.fields, "averaged_model_accuracy"));
  cells[kAveragedLoss].add(number_at(line.fields, "averaged_model_loss"));
  cells[kTrainLoss].add(number_at(line.fields, "train_loss"));
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
    const std::span<Cell> cells = evaluations.at(step);
    cells[kAccuracy].merge(evaluated.accuracy);
    cells[kTestLoss].merge(evaluated.loss);
    note_accuracy(step, evaluated.accuracy);
  }
  for (; next != own.end(); ++next) {
    if (milestones.empty() || next->accuracy > milestones.back().accuracy) {
      milestones.push_back(*next);
    }
  }
  const size_t column =
      probe_names_.size() - kMoreProbeColumns + kConsensusDistance;
  for (const ReplicaDistances::Point& point : gossip.distances())
    probes.at(point.round)[column].add(point.distance);
}

void RunTables::take_dispersion(const RecordLine& line) {
  const std::span<Cell> cells = probes.at(line.step);
  for (size_t column = 0; column < probe_names_.size(); ++column) {
    for_numbers(line.fields, probe_names_[column], [&](size_t, double value) {
      cells[column].add(value);
    });
  }
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
