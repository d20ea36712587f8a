#include "report/csv.h"

#include "base/error.h"
#include "record/atomic_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <system_error>

namespace grapevine::report {
namespace {

class Csv {
 public:
  void cell(std::string_view text) {
    separate();
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
      out_ += text;
      return;
    }
    out_ += '"';
    for (const char c : text) {
      if (c == '"') out_ += '"';
      out_ += c;
    }
    out_ += '"';
  }
  void cell(double value) {
    separate();
    if (!std::isfinite(value)) return;
    // Counts keep all their digits.
    const bool is_count =
        value == std::floor(value) && std::abs(value) < 9007199254740992.0;
    if (is_count) {
      fmt::format_to(std::back_inserter(out_), "{:.0f}", value);
    } else {
      fmt::format_to(std::back_inserter(out_), "{:.9g}", value);
    }
  }
  void cell(int64_t value) {
    separate();
    fmt::format_to(std::back_inserter(out_), "{}", value);
  }
  void cells(std::initializer_list<std::string_view> texts) {
    for (const std::string_view text : texts)
      cell(text);
  }
  // Empty if the curve has no such column.
  void cell(const Column& column, size_t row) {
    cell(row < column.size() ? column[row] : kNan);
  }
  void end_row() {
    out_ += "\r\n";
    is_first_ = true;
  }
  std::string take() { return std::move(out_); }

 private:
  void separate() {
    if (!is_first_) out_ += ',';
    is_first_ = false;
  }

  std::string out_;
  bool is_first_ = true;
};

// The table without the optional series that no run has.
record::SeriesTable recorded_part(
    const ReportData& data,
    record::SeriesTable table) {
  std::erase_if(table.series, [&](const record::Series& series) {
    const auto has_it = [&](const RunData& run) {
      return run.curves.at(table.name)[series.name].has_values();
    };
    return series.is_optional && std::ranges::none_of(data.set.runs, has_it);
  });
  return table;
}

void curves_header(Csv& csv, const record::SeriesTable& table) {
  csv.cells({"run", "label", "step", "epoch"});
  for (const record::AxisSeries& axis : record::axis_series())
    csv.cell(axis.csv_name);
  for (const record::Series& series : table.series) {
    if (!series.has_band) {
      csv.cell(series.name);
      continue;
    }
    for (const char* part : {"_mean", "_low", "_high"})
      csv.cell(series.name + part);
  }
  csv.end_row();
}

void curves_row(
    Csv& csv,
    const record::SeriesTable& table,
    const Curves& curves,
    size_t row) {
  csv.cell(curves.axis.step[row]);
  csv.cell(curves.axis.epoch, row);
  for (const Column& column : curves.axis.columns)
    csv.cell(column, row);
  for (const record::Series& series : table.series) {
    const Band& band = curves[series.name];
    csv.cell(band.mean, row);
    if (!series.has_band) continue;
    csv.cell(band.low, row);
    csv.cell(band.high, row);
  }
}

bool has_points(const ReportData& data, const record::SeriesTable& table) {
  return std::ranges::any_of(data.set.runs, [&](const RunData& run) {
    return !run.curves.at(table.name).axis.step.empty();
  });
}

// Whether the worker was there at the end: 1 or 0, NaN if that is not known.
double is_member(const std::vector<int>& members, int rank) {
  if (members.empty()) return kNan;
  return std::ranges::find(members, rank) != members.end() ? 1 : 0;
}

constexpr std::array kResultNames = {
    "epochs",
    "steps",
    "train_loss",
    "test_accuracy",
    "averaged_model_accuracy",
    "test_perplexity",
    "averaged_model_perplexity",
    "consensus_distance",
    "samples_per_second",
    "seconds",
    "virtual_seconds",
    "messages",
    "bytes"};

} // namespace

std::string runs_csv(const ReportData& data) {
  Csv csv;
  const auto& keys = data.set.grouping.keys;
  csv.cells({"run", "path", "label", "outcome", "workers"});
  for (const std::string& key : keys)
    csv.cell(key);
  for (const char* name : kResultNames)
    csv.cell(name);
  csv.cells({"mean_degree", "first_gini"});
  csv.end_row();
  for (size_t i = 0; i < data.set.runs.size(); ++i) {
    const RunData& run = data.set.runs[i];
    csv.cells({run.name, run.path, data.set.grouping.labels[i], run.outcome});
    csv.cell(static_cast<int64_t>(run.spec.n));
    for (const std::string& key : keys)
      csv.cell(choice_text(run.spec, key));
    for (const char* name : kResultNames)
      csv.cell(number_in(run.result, name));
    csv.cell(run.mean_degree);
    csv.cell(run.first_gini);
    csv.end_row();
  }
  return csv.take();
}

std::string table_csv(
    const ReportData& data,
    const record::SeriesTable& whole_table) {
  Csv csv;
  const record::SeriesTable table = recorded_part(data, whole_table);
  curves_header(csv, table);
  for (size_t run = 0; run < data.set.runs.size(); ++run) {
    const Curves& curves = data.set.runs[run].curves.at(table.name);
    for (size_t row = 0; row < curves.axis.step.size(); ++row) {
      csv.cells({data.set.runs[run].name, data.set.grouping.labels[run]});
      curves_row(csv, table, curves, row);
      csv.end_row();
    }
  }
  return csv.take();
}

std::string workers_csv(const ReportData& data) {
  Csv csv;
  csv.cells({"run", "label", "worker"});
  for (const GossipField& field : gossip_fields()) {
    csv.cell(field.csv_name);
    if (field.value == &GossipWorker::rate) csv.cell("asked_rate");
  }
  csv.cell("is_member");
  csv.end_row();
  for (size_t i = 0; i < data.set.runs.size(); ++i) {
    const RunData& run = data.set.runs[i];
    if (!run.gossip) continue;
    const auto& workers = run.gossip->workers;
    for (size_t rank = 0; rank < workers.size(); ++rank) {
      csv.cells({run.name, data.set.grouping.labels[i]});
      csv.cell(static_cast<int64_t>(rank));
      for (const GossipField& field : gossip_fields()) {
        csv.cell(workers[rank].*field.value);
        if (field.value == &GossipWorker::rate) {
          csv.cell(run.gossip->asked_rate);
        }
      }
      csv.cell(is_member(run.gossip->members, static_cast<int>(rank)));
      csv.end_row();
    }
  }
  return csv.take();
}

void write_csv(const ReportData& data, const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    throw IoError(fmt::format(
        "cannot create {}: {}",
        directory.string(),
        error.message()));
  }
  const auto write = [&](const std::string& name, const std::string& text) {
    record::write_atomically(directory / (name + ".csv"), text);
  };
  write("runs", runs_csv(data));
  for (const record::SeriesTable& table : record::series_tables()) {
    if (table.is_optional && !has_points(data, table)) continue;
    write(table.name, table_csv(data, table));
  }
  const auto is_asynchronous = [](const RunData& run) {
    return run.gossip.has_value();
  };
  if (std::ranges::any_of(data.set.runs, is_asynchronous)) {
    write("workers", workers_csv(data));
  }
}

} // namespace grapevine::report
