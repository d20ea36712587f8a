// What a run records as series of numbers, declared once. The reader of
// records, the page's data, the CSV files and the page's cards iterate over
// this table, so a new recorded number is a line in schema.cpp and a value
// under its key where the run appends the record (src/run).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace grapevine::record {

// Whose number it is: a record holds one, or a list by worker or by tensor.
enum class Per { kRun, kWorker, kTensor };

std::string_view name(Per per); // "run", "worker", "tensor"

struct Series {
  std::string key;   // in the record
  std::string name;  // in the page's data and the CSV files
  std::string title; // for people
  std::string unit;  // "s", "bytes"; empty for a plain number
  Per per = Per::kRun;
  // A point is a mean with its smallest and largest value, over workers,
  // tensors and the steps of the point; else the mean alone.
  bool has_band = false;
  // In the page's data: the object of the table that holds the series.
  std::string folder;
  // Left out (no key, no CSV column) unless a run has recorded it.
  bool is_optional = false;
  // The key of a count: a point is then the sum over this series' sum.
  std::string per_count;
};

// A type of record and the series that its lines are points of.
struct SeriesTable {
  std::string type;  // of the records
  std::string name;  // of the CSV file, NAME.csv
  std::string title; // for people
  // Where the page's data of a run hold it.
  std::vector<std::string> path;
  // Absent (null, no CSV file) unless a run has such records.
  bool is_optional = false;
  // The series hold counts since the worker began.
  bool is_cumulative = false;
  std::vector<Series> series;

  // The index of a series by its name (checked).
  int index(std::string_view series_name) const;
};

// In the order of the page's data.
const std::vector<SeriesTable>& series_tables();
const SeriesTable& series_table(std::string_view name); // checked

// What a curve may be drawn against, besides step and epoch: numbers of the
// "step" records.
struct AxisSeries {
  std::string name; // in the records and the page's data
  std::string csv_name;
  std::string title;
  std::string unit;
  // The records hold what a step adds, over all workers; an axis shows the sum
  // so far per worker. Else they hold the time since the run began.
  bool is_total = false;
  // Absent in runs without a cost model.
  bool is_optional = false;
};
std::span<const AxisSeries> axis_series();

} // namespace grapevine::record
