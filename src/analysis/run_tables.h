// What is gathered while the records of a run pass by. Internal to the
// reading of runs.
#pragma once

#include "analysis/buckets.h"
#include "analysis/detail_reader.h"
#include "analysis/run_data.h"
#include "analysis/timeline.h"
#include "record/record_scanner.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace grapevine::analysis {

enum EvaluationColumn : int {
  kAccuracy,
  kAveragedAccuracy,
  kTestLoss,
  kAveragedLoss,
  kTrainLoss,
  kEvaluationColumns,
};

enum DensityColumn : int { kSpread, kLevel, kK, kDensityColumns };

// Probe columns: the metrics of the table, then these.
inline constexpr int kConsensusDistance = 0;
inline constexpr int kGradientNorm = 1;
inline constexpr int kUpdateRatio = 2;
inline constexpr int kMoreProbeColumns = 3;

// Names of the record keys of the probe columns, in their order.
std::vector<std::string> probe_columns();

class RunTables {
 public:
  explicit RunTables(std::unique_ptr<DetailReader> detail);

  void take(const record::RecordLine& line);

  Buckets steps;
  Buckets evaluations;
  Buckets probes;
  Buckets density;
  std::vector<Milestone> milestones; // step and accuracy only
  std::vector<DegreeChange> degrees;
  std::map<std::string, double> spans;
  std::map<std::pair<int, int>, double> waits; // seconds by worker and peer
  std::map<int, double> compute; // seconds by worker, if it has a process
  Cell first_gini;
  int64_t last_step = -1;
  double steps_per_epoch = kNan; // of old runs not known
  int64_t second_epoch = -1;     // its first step
  std::unique_ptr<DetailReader> detail;

 private:
  void take_attempt(const record::RecordLine& line);
  void take_step(const record::RecordLine& line);
  void take_evaluation(const record::RecordLine& line);
  void take_dispersion(const record::RecordLine& line);
  void take_spans(const record::RecordLine& line);
  void take_waits(const record::RecordLine& line);
  void note_degree(int64_t step, double degree);

  std::vector<std::string> probe_names_;
  std::vector<int> workers_; // of the process whose lines pass by
};

} // namespace grapevine::analysis
