#include "report/csv.h"

#include "base/error.h"
#include "record/atomic_file.h"
#include "report/csv_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace grapevine::report {
namespace {

using report::Axis;
using report::RunData;

void axis_header(Csv& csv) {
  for (const char* name :
       {"run",
        "label",
        "step",
        "epoch",
        "bytes_per_worker",
        "messages_per_worker",
        "seconds",
        "virtual_seconds"}) {
    csv.cell(name);
  }
}

void axis_cells(
    Csv& csv,
    const ReportData& data,
    size_t run,
    const Axis& axis,
    size_t row) {
  csv.cell(data.set.runs[run].name);
  csv.cell(data.set.grouping.labels[run]);
  csv.cell(axis.step[row]);
  csv.cell(axis.epoch, row);
  csv.cell(axis.bytes, row);
  csv.cell(axis.messages, row);
  csv.cell(axis.seconds, row);
  csv.cell(axis.virtual_seconds, row);
}

// axis_of(run) names the curve; cells(csv, run, row) writes the rest.
template <typename AxisOf, typename Cells>
void rows(
    Csv& csv,
    const ReportData& data,
    const AxisOf& axis_of,
    const Cells& cells) {
  csv.end_row();
  for (size_t run = 0; run < data.set.runs.size(); ++run) {
    const Axis& axis = axis_of(data.set.runs[run]);
    for (size_t row = 0; row < axis.step.size(); ++row) {
      axis_cells(csv, data, run, axis, row);
      cells(data.set.runs[run], row);
      csv.end_row();
    }
  }
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
  for (const char* name : {"run", "path", "label", "outcome", "workers"})
    csv.cell(name);
  for (const std::string& key : keys)
    csv.cell(key);
  for (const char* name : kResultNames)
    csv.cell(name);
  csv.cell("mean_degree");
  csv.cell("first_gini");
  csv.end_row();
  for (size_t i = 0; i < data.set.runs.size(); ++i) {
    const RunData& run = data.set.runs[i];
    csv.cell(run.name);
    csv.cell(run.path);
    csv.cell(data.set.grouping.labels[i]);
    csv.cell(run.outcome);
    csv.cell(static_cast<int64_t>(run.spec.n));
    for (const std::string& key : keys)
      csv.cell(report::choice_text(run.spec, key));
    for (const char* name : kResultNames)
      csv.cell(report::number_in(run.result, name));
    csv.cell(run.mean_degree);
    csv.cell(run.first_gini);
    csv.end_row();
  }
  return csv.take();
}

std::string evaluations_csv(const ReportData& data) {
  Csv csv;
  axis_header(csv);
  csv.band_header("accuracy");
  csv.cell("averaged_accuracy");
  csv.band_header("loss");
  csv.cell("averaged_loss");
  csv.cell("train_loss");
  rows(
      csv,
      data,
      [](const RunData& run) -> const Axis& { return run.evaluations.axis; },
      [&](const RunData& run, size_t row) {
        csv.band(run.evaluations.accuracy, row);
        csv.cell(run.evaluations.averaged_accuracy, row);
        csv.band(run.evaluations.loss, row);
        csv.cell(run.evaluations.averaged_loss, row);
        csv.cell(run.evaluations.train_loss, row);
      });
  return csv.take();
}

std::string steps_csv(const ReportData& data) {
  Csv csv;
  axis_header(csv);
  csv.band_header("loss");
  csv.cell("lr");
  csv.cell("degree");
  rows(
      csv,
      data,
      [](const RunData& run) -> const Axis& { return run.step_curves.axis; },
      [&](const RunData& run, size_t row) {
        csv.band(run.step_curves.loss, row);
        csv.cell(run.step_curves.lr, row);
        csv.cell(run.step_curves.degree, row);
      });
  return csv.take();
}

std::string probes_csv(const ReportData& data) {
  Csv csv;
  axis_header(csv);
  std::vector<std::string> metrics;
  for (const RunData& run : data.set.runs) {
    if (run.probes.metrics.size() <= metrics.size()) continue;
    metrics.clear();
    for (const report::NamedBand& metric : run.probes.metrics)
      metrics.push_back(metric.name);
  }
  for (const std::string& metric : metrics)
    csv.band_header(metric);
  csv.band_header("consensus_distance");
  csv.band_header("gradient_norm");
  csv.band_header("update_ratio");
  rows(
      csv,
      data,
      [](const RunData& run) -> const Axis& { return run.probes.axis; },
      [&](const RunData& run, size_t row) {
        for (const report::NamedBand& metric : run.probes.metrics)
          csv.band(metric.band, row);
        csv.band(run.probes.consensus_distance, row);
        csv.band(run.probes.gradient_norm, row);
        csv.band(run.probes.update_ratio, row);
      });
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
  record::write_atomically(directory / "runs.csv", runs_csv(data));
  record::write_atomically(
      directory / "evaluations.csv",
      evaluations_csv(data));
  record::write_atomically(directory / "steps.csv", steps_csv(data));
  record::write_atomically(directory / "probes.csv", probes_csv(data));
  const auto is_asynchronous = [](const RunData& run) {
    return run.gossip.has_value();
  };
  if (std::ranges::any_of(data.set.runs, is_asynchronous)) {
    record::write_atomically(directory / "workers.csv", workers_csv(data));
  }
}

} // namespace grapevine::report
