#include "report/run_reader.h"

#include "record/metrics/metric.h"
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
  std::vector<std::string> metrics = probe_columns();
  std::erase(metrics, "consensus_distance"); // one number for all tensors
  return std::make_unique<DetailReader>(DetailOptions{
      .replicas = run.spec.n,
      .numbers_of_heat = options.numbers_of_heat,
      .numbers_of_norms = options.numbers_of_norms,
      .metrics = metrics});
}

double steps_per_epoch(const RunData& run, const RunTables& tables) {
  if (tables.steps_per_epoch >= 1) return tables.steps_per_epoch;
  if (tables.second_epoch > 0) {
    return static_cast<double>(tables.second_epoch);
  }
  const double epochs = number_in(run.result, "epochs");
  const double steps = number_in(run.result, "steps");
  if (epochs >= 1 && steps >= epochs) return steps / epochs;
  // An old run in its first epoch: how long that is nobody has written down.
  return static_cast<double>(std::max<int64_t>(tables.last_step + 1, 1));
}

std::vector<int64_t> last_steps(const Buckets& table) {
  std::vector<int64_t> steps;
  for (const auto& bucket : table.buckets())
    steps.push_back(bucket.last_step);
  return steps;
}

Band band(const Buckets& table, int column) {
  Band band;
  for (const auto& bucket : table.buckets()) {
    band.mean.push_back(bucket.cells[column].mean());
    band.low.push_back(bucket.cells[column].low);
    band.high.push_back(bucket.cells[column].high);
  }
  return band;
}

Column means(const Buckets& table, int column) {
  return band(table, column).mean;
}

StepCurves step_curves(const Buckets& table, const Timeline& timeline) {
  return {
      .axis = timeline.axis(last_steps(table)),
      .loss = band(table, kLoss),
      .lr = means(table, kLr),
      .degree = means(table, kDegree)};
}

EvaluationCurves evaluation_curves(
    const Buckets& table,
    const Timeline& timeline) {
  return {
      .axis = timeline.axis(last_steps(table)),
      .accuracy = band(table, kAccuracy),
      .averaged_accuracy = means(table, kAveragedAccuracy),
      .loss = band(table, kTestLoss),
      .averaged_loss = means(table, kAveragedLoss),
      .train_loss = means(table, kTrainLoss)};
}

ProbeCurves probe_curves(const Buckets& table, const Timeline& timeline) {
  ProbeCurves curves;
  curves.axis = timeline.axis(last_steps(table));
  int column = 0;
  for (const record::Metric& metric : record::metric_table())
    curves.metrics.push_back({metric.name, band(table, column++)});
  curves.consensus_distance = band(table, column + kConsensusDistance);
  curves.gradient_norm = band(table, column + kGradientNorm);
  curves.update_ratio = band(table, column + kUpdateRatio);
  return curves;
}

DensityCurves density_curves(const Buckets& table, const Timeline& timeline) {
  DensityCurves curves;
  curves.step = last_steps(table);
  for (const int64_t step : curves.step)
    curves.epoch.push_back(timeline.epoch(step));
  curves.spread = means(table, kSpread);
  curves.level = means(table, kLevel);
  curves.k = means(table, kK);
  return curves;
}

// A bucket belongs to the third that its middle lies in.
std::vector<Phases> phases(const Buckets& table, int64_t steps) {
  std::vector<Phases> all;
  int column = 0;
  for (const record::Metric& metric : record::metric_table()) {
    std::array<Cell, 3> thirds;
    for (const auto& bucket : table.buckets()) {
      const int64_t third =
          3 * (bucket.first_step + bucket.last_step) / (2 * steps);
      thirds[std::clamp<int64_t>(third, 0, 2)].merge(bucket.cells[column]);
    }
    Cell whole;
    for (const Cell& third : thirds)
      whole.merge(third);
    all.push_back(
        {metric.name,
         whole.mean(),
         thirds[0].mean(),
         thirds[1].mean(),
         thirds[2].mean()});
    ++column;
  }
  return all;
}

double mean_degree(const Buckets& steps) {
  Cell all;
  for (const auto& bucket : steps.buckets())
    all.merge(bucket.cells[kDegree]);
  return all.mean();
}

void fill_milestones(std::vector<Milestone>& all, const Timeline& timeline) {
  for (Milestone& milestone : all) {
    milestone.epoch = timeline.epoch(milestone.step);
    milestone.seconds = timeline.seconds(milestone.step);
    milestone.messages = timeline.messages(milestone.step);
    milestone.bytes = timeline.bytes(milestone.step);
  }
}

void fill_curves(
    RunData& run,
    const RunTables& tables,
    const Timeline& timeline,
    int points) {
  run.step_curves = step_curves(tables.steps.reduced(points), timeline);
  run.evaluations =
      evaluation_curves(tables.evaluations.reduced(points), timeline);
  run.probes = probe_curves(tables.probes.reduced(points), timeline);
  const Buckets density = tables.density.reduced(points);
  if (!density.buckets().empty()) {
    run.density = density_curves(density, timeline);
  }
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
    return find_blame(waits, std::move(compute), timeline.seconds(last_step));
  }
  const auto span = [&](const char* name) {
    const auto found = tables.virtual_spans.find(name);
    return found == tables.virtual_spans.end() ? kNan : found->second;
  };
  return find_blame(
      waits,
      std::move(compute),
      timeline.virtual_seconds(last_step),
      VirtualLosses{
          .exposed = span("exposed"),
          .straggler = span("straggler")});
}

} // namespace

void read_run(RunData& run, const ReadOptions& options) {
  RunTables tables(
      GossipTables(run.spec.n, run.spec.probe_every),
      make_detail(run, options));
  run.broken_lines = record::scan_run_records(
      record::RunDirectory(run.path),
      [&](const record::RecordLine& line) { tables.take(line); });
  tables.finish(run.spec.n);

  run.steps = tables.last_step + 1;
  run.steps_per_epoch = steps_per_epoch(run, tables);
  const Timeline timeline(tables.steps, run.steps_per_epoch, run.spec.n);
  run.mean_degree = mean_degree(tables.steps);
  run.first_gini = tables.first_gini.mean();
  run.dispersion = phases(tables.probes, std::max<int64_t>(run.steps, 1));
  run.degrees = std::move(tables.degrees);
  run.milestones = std::move(tables.milestones);
  fill_milestones(run.milestones, timeline);
  run.spans.assign(tables.spans.begin(), tables.spans.end());
  if (!tables.waits.empty()) {
    run.blame = blame_of(tables, run.spec.n, timeline, run.steps - 1);
    const bool is_long = run.blame->waits.size() > kMostWaits;
    if (!options.detail || is_long) run.blame->waits.clear();
  }
  run.gossip = tables.gossip.finish(run.spec, timeline, options.points);
  if (options.points > 0) fill_curves(run, tables, timeline, options.points);
  if (tables.detail && !tables.detail->empty()) {
    run.detail = tables.detail->finish(
        [&](int64_t step) { return timeline.epoch(step); });
  }
}

} // namespace grapevine::report
