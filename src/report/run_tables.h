// What is gathered while the records of a run pass by. Internal to the
// reading of runs.
#pragma once

#include "record/record_scanner.h"
#include "report/buckets.h"
#include "report/detail_reader.h"
#include "report/gossip_reader.h"
#include "report/run_data.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace grapevine::report {

class RunTables {
 public:
  RunTables(GossipReader gossip, std::unique_ptr<DetailReader> detail);

  void take(const record::RecordLine& line);
  // After the last line. If the workers of an asynchronous run evaluated their
  // replicas each by itself, those near the end of an epoch become its
  // evaluation, if it has none and half of the `workers` took part; and their
  // sketches of their replicas become consensus distances.
  void finish(int workers);

  // A table of the schema (but for gossip, which has a reader of its own).
  struct Table {
    Table(
        const record::SeriesTable* schema,
        std::vector<std::string> keys,
        Buckets values)
        : schema(schema),
          keys(std::move(keys)),
          values(std::move(values)) {}

    const record::SeriesTable* schema;
    std::vector<std::string> keys; // of the columns
    Buckets values; // a column per series; for the steps also one per axis

    Cell& cell(int64_t step, std::string_view series);
    // The column of the field that is the position-th of its line; -1 if it has
    // none. Lines of a type mostly have the same fields in the same order.
    int column(size_t position, std::string_view key);

   private:
    std::vector<std::pair<std::string, int>> seen_; // by position
  };
  std::vector<Table> tables;
  Table& table(std::string_view name); // checked

  std::vector<Milestone> milestones; // step and accuracy only
  std::vector<DegreeChange> degrees;
  std::map<std::string, double> spans;
  std::map<std::pair<int, int>, double> waits; // seconds by worker and peer
  // Seconds by worker, if it has a process or virtual time.
  std::map<int, double> compute;
  // Then these and `compute` are virtual, all of them: of a run that went on
  // between processes, the real ones do not count.
  bool has_virtual_waits = false;
  std::map<std::string, double> virtual_spans; // seconds
  Cell first_gini;
  int64_t last_step = -1;
  double steps_per_epoch = kNan; // of old runs not known
  int64_t second_epoch = -1;     // its first step
  GossipReader gossip;
  std::unique_ptr<DetailReader> detail;

 private:
  struct Evaluated {
    Cell accuracy;
    Cell loss;
  };

  static void
  take_series(const record::RecordLine& line, int64_t step, Table& table);
  void take_attempt(const record::RecordLine& line);
  void take_step(const record::RecordLine& line, int64_t step);
  void take_evaluation(const record::RecordLine& line);
  void take_replica_evaluation(const record::RecordLine& line);
  void note_accuracy(int64_t step, const Cell& accuracy);
  void take_dispersion(const record::RecordLine& line);
  void take_spans(const record::RecordLine& line);
  void take_virtual_spans(const record::RecordLine& line);
  void take_waits(const record::RecordLine& line);
  void note_degree(int64_t step, double degree);

  std::vector<int> workers_; // of the process whose lines pass by
  std::map<int64_t, Evaluated> replica_evaluations_; // by last step of epoch
  std::set<int64_t> evaluated_;                      // steps
};

} // namespace grapevine::report
