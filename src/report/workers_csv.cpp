// What each worker of an asynchronous run did and waited for, as CSV.
#include "report/csv.h"
#include "report/csv_writer.h"

#include <algorithm>

namespace grapevine::report {
namespace {

void worker_cells(
    Csv& csv,
    const report::GossipWorker& worker,
    double asked_rate) {
  for (const double value :
       {worker.gradients,
        worker.averagings,
        worker.rate,
        asked_rate,
        worker.wait,
        worker.wait_most,
        worker.pair,
        worker.staleness,
        worker.staleness_most,
        worker.held_seconds}) {
    csv.cell(value);
  }
  csv.cell(static_cast<int64_t>(worker.lost));
  csv.cell(static_cast<int64_t>(worker.came_back));
}

// Whether it was there at the end: 1 or 0, NaN where that is not known.
double member_cell(const std::vector<int>& members, int rank) {
  if (members.empty()) return report::kNan;
  return std::ranges::find(members, rank) != members.end() ? 1 : 0;
}

} // namespace

std::string workers_csv(const ReportData& data) {
  Csv csv;
  for (const char* name :
       {"run",
        "label",
        "worker",
        "gradients",
        "averagings",
        "rate",
        "asked_rate",
        "wait_seconds_mean",
        "wait_most",
        "pair_seconds_mean",
        "staleness_mean",
        "staleness_most",
        "held_seconds",
        "lost",
        "came_back",
        "is_member"}) {
    csv.cell(name);
  }
  csv.end_row();
  for (size_t i = 0; i < data.set.runs.size(); ++i) {
    const report::RunData& run = data.set.runs[i];
    if (!run.gossip) continue;
    const auto& workers = run.gossip->workers;
    for (size_t rank = 0; rank < workers.size(); ++rank) {
      csv.cell(run.name);
      csv.cell(data.set.grouping.labels[i]);
      csv.cell(static_cast<int64_t>(rank));
      worker_cells(csv, workers[rank], run.gossip->asked_rate);
      csv.cell(member_cell(run.gossip->members, static_cast<int>(rank)));
      csv.end_row();
    }
  }
  return csv.take();
}

} // namespace grapevine::report
