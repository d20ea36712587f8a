#include "report/run_reader.h"

#include "record/dispersion.h"
#include "record/record_scanner.h"
#include "report/run_tables.h"

#include <algorithm>
#include <cmath>

namespace grapevine::report {
namespace {

std::unique_ptr<DetailReader> make_detail(
    const RunData& run,
    const ReadOptions& options) {
  if (!options.detail) return nullptr;
  std::vector<std::string> keys;
  for (const record::Series& series : record::series_table("probes").series) {
    if (series.per == record::Per::kTensor) keys.push_back(series.key);
  }
  return std::make_unique<DetailReader>(DetailOptions{
      .replicas = run.spec.n,
      .numbers_of_heat = options.numbers_of_heat,
      .numbers_of_norms = options.numbers_of_norms,
      .metrics = keys});
}

double steps_per_epoch(const RunData& run, const RunTables& tables) {
  if (tables.steps_per_epoch >= 1) return tables.steps_per_epoch;
  if (tables.second_epoch > 0) {
    return static_cast<double>(tables.second_epoch);
  }
  const double epochs = number_in(run.result, "epochs");
  const double steps = number_in(run.result, "steps");
  if (epochs >= 1 && steps >= epochs) return steps / epochs;
  // An old run in its first epoch did not record how long that is.
  return static_cast<double>(std::max<int64_t>(tables.last_step + 1, 1));
}

Curves curves_of(
    const record::SeriesTable& schema,
    const Buckets& values,
    const Timeline& timeline) {
  Curves curves;
  const std::vector<Buckets::Bucket> buckets = values.buckets();
  std::vector<int64_t> steps;
  for (const auto& bucket : buckets)
    steps.push_back(bucket.last_step);
  for (size_t column = 0; column < schema.series.size(); ++column) {
    Band& band = curves.series[schema.series[column].name];
    for (const auto& bucket : buckets) {
      const Cell& cell = bucket.cells[column];
      band.mean.push_back(cell.mean());
      if (!schema.series[column].has_band) continue;
      band.low.push_back(cell.low);
      band.high.push_back(cell.high);
    }
  }
  curves.axis = timeline.axis(std::move(steps));
  return curves;
}

// A bucket belongs to the third that its middle lies in.
Phases
phases_of(const std::string& metric, const Buckets& probes, int64_t steps) {
  const int column = record::series_table("probes").index(metric);
  std::array<Cell, kPhases.size()> cells; // of the whole run, then its thirds
  for (const auto& bucket : probes.buckets()) {
    const int64_t third =
        3 * (bucket.first_step + bucket.last_step) / (2 * steps);
    cells[1 + std::clamp<int64_t>(third, 0, 2)].merge(bucket.cells[column]);
  }
  for (size_t third = 1; third < cells.size(); ++third)
    cells[0].merge(cells[third]);
  Phases phases{.metric = metric};
  std::ranges::transform(cells, phases.mean.begin(), &Cell::mean);
  return phases;
}

double mean_degree(const Buckets& steps) {
  const int column = record::series_table("steps").index("degree");
  Cell all;
  for (const auto& bucket : steps.buckets())
    all.merge(bucket.cells[column]);
  return all.mean();
}

void fill_milestones(std::vector<Milestone>& all, const Timeline& timeline) {
  for (Milestone& milestone : all) {
    milestone.epoch = timeline.epoch(milestone.step);
    milestone.seconds = timeline.at("seconds", milestone.step);
    milestone.messages = timeline.at("messages", milestone.step);
    milestone.bytes = timeline.at("bytes", milestone.step);
  }
}

void fill_curves(
    RunData& run,
    const RunTables& tables,
    const Timeline& timeline,
    int points) {
  for (const RunTables::Table& table : tables.tables) {
    if (table.values.empty()) continue;
    run.curves[table.schema->name] =
        curves_of(*table.schema, table.values.reduced(points), timeline);
  }
  run.curves["gossip"] = tables.gossip.curves(timeline, points);
}

// A page has no room for more single waits.
constexpr size_t kMostWaits = 20'000;

Blame blame_of(
    const RunTables& tables,
    int workers,
    const Timeline& timeline,
    int64_t last_step) {
  std::vector<Wait> waits;
  for (const auto& [pair, waited] : tables.waits)
    waits.push_back({pair.first, pair.second, waited});
  std::vector<double> compute(workers, kNan);
  for (const auto& [worker, computed] : tables.compute) {
    if (worker >= 0 && worker < workers) compute[worker] = computed;
  }
  if (!tables.has_virtual_waits) {
    return find_blame(
        waits,
        std::move(compute),
        timeline.at("seconds", last_step));
  }
  const auto span = [&](const char* name) {
    const auto found = tables.virtual_spans.find(name);
    return found == tables.virtual_spans.end() ? kNan : found->second;
  };
  return find_blame(
      waits,
      std::move(compute),
      timeline.at("virtual_seconds", last_step),
      VirtualLosses{
          .exposed = span("exposed"),
          .straggler = span("straggler")});
}

} // namespace

void read_run(RunData& run, const ReadOptions& options) {
  RunTables tables(
      GossipReader(run.spec.n, run.spec.probe_every),
      make_detail(run, options));
  run.broken_lines = record::scan_run_records(
      record::RunDirectory(run.path),
      [&](const record::RecordLine& line) { tables.take(line); });
  tables.finish(run.spec.n);

  run.steps = tables.last_step + 1;
  run.steps_per_epoch = steps_per_epoch(run, tables);
  const Buckets& steps = tables.table("steps").values;
  const Timeline timeline(steps, run.steps_per_epoch, run.spec.n);
  run.mean_degree = mean_degree(steps);
  run.first_gini = tables.first_gini.mean();
  for (const record::Metric& metric : record::metric_table()) {
    run.dispersion.push_back(phases_of(
        metric.name,
        tables.table("probes").values,
        std::max<int64_t>(run.steps, 1)));
  }
  run.degrees = std::move(tables.degrees);
  run.milestones = std::move(tables.milestones);
  fill_milestones(run.milestones, timeline);
  run.spans.assign(tables.spans.begin(), tables.spans.end());
  if (!tables.waits.empty()) {
    run.blame = blame_of(tables, run.spec.n, timeline, run.steps - 1);
    const bool is_long = run.blame->waits.size() > kMostWaits;
    if (!options.detail || is_long) run.blame->waits.clear();
  }
  run.gossip = tables.gossip.finish(run.spec);
  if (options.points > 0) fill_curves(run, tables, timeline, options.points);
  if (tables.detail && !tables.detail->empty()) {
    run.detail = tables.detail->finish(timeline);
  }
}

} // namespace grapevine::report
