#include "run/run_records.h"

#include "record/consensus.h"
#include "record/dispersion.h"
#include "run/numbers.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace grapevine::run {

EvaluatorOptions evaluator_options(const RunConfig& config) {
  return {
      .samples = config.spec.eval_samples,
      .full = config.spec.eval_full,
      .seed = config.spec.seed,
      .in_streams = config.in_streams,
      .moving_average = config.has_moving_average(),
      .translation = {
          .beam = config.spec.beam,
          .length_penalty = config.spec.length_penalty}};
}

double consensus_distance(
    mix::Cluster& cluster,
    std::vector<Worker>& workers,
    const record::ConsensusSample& sample,
    std::span<float> mean) {
  mean = mean.first(sample.elements);
  cluster.mean(algo::Plane::kParameters, sample.pieces, mean);
  mix::Rows mine(workers.size());
  cluster.for_each([&](int index) {
    const std::span<const float> x = workers[index].arena().parameters();
    int64_t at = 0;
    double distance = 0;
    for (const Range& piece : sample.pieces) {
      distance += record::squared_distance(
          x.subspan(piece.begin, piece.size()),
          mean.subspan(at, piece.size()));
      at += piece.size();
    }
    mine[index] = {sample.scale * distance};
  });
  std::vector<double> distances;
  for (const auto& row : cluster.all_gather(mine))
    distances.push_back(row[0]);
  return record::consensus_distance(distances);
}

double consensus_distance(
    mix::Cluster& cluster,
    std::vector<Worker>& workers,
    std::span<float> mean) {
  const auto size = static_cast<int64_t>(mean.size());
  return consensus_distance(
      cluster,
      workers,
      {.pieces = {{0, size}}, .elements = size},
      mean);
}

nlohmann::json attempt_record(
    int attempt,
    int64_t step,
    const std::vector<int>& hosted,
    const std::string& transport,
    const RunConfig& config,
    const tensor::Layout& layout) {
  std::vector<std::string> tensors;
  for (const auto& tensor : layout.tensors())
    tensors.push_back(tensor.name);
  return {
      {"type", "attempt"},
      {"attempt", attempt},
      {"step", step},
      {"workers", hosted},
      {"transport", transport},
      {"steps_per_epoch", config.steps_per_epoch()},
      {"tensors", tensors}};
}

nlohmann::json spans_record(
    const record::Spans& spans,
    const graph::StepTime& moment) {
  nlohmann::json seconds;
  for (const record::Span span : record::kAllSpans) {
    seconds[std::string(record::name(span))] = spans.seconds(span);
  }
  return {
      {"type", "spans"},
      {"epoch", moment.epoch},
      {"step", moment.step},
      {"seconds", seconds}};
}

nlohmann::json evaluation_record(
    const Evaluation& evaluation,
    const graph::StepTime& moment,
    double seconds,
    double train_loss) {
  nlohmann::json record = {
      {"type", "evaluation"},
      {"epoch", moment.epoch},
      {"step", moment.step},
      {"seconds", seconds},
      {"train_loss", train_loss},
      {"test_accuracy", evaluation.test_accuracy},
      {"test_loss", evaluation.test_loss},
      {"averaged_model_accuracy", evaluation.averaged_model_accuracy},
      {"averaged_model_loss", evaluation.averaged_model_loss}};
  if (const auto averaged = evaluation.averaged_model_perplexity()) {
    record["test_perplexity"] = evaluation.test_perplexity();
    record["averaged_model_perplexity"] = *averaged;
  }
  if (evaluation.averaged_model_top5) {
    record["test_top5"] = evaluation.test_top5;
    record["averaged_model_top5"] = *evaluation.averaged_model_top5;
  }
  if (evaluation.ema_accuracy) {
    record["ema_accuracy"] = *evaluation.ema_accuracy;
    record["ema_loss"] = *evaluation.ema_loss;
  }
  if (evaluation.bleu) record["bleu"] = *evaluation.bleu;
  return record;
}

nlohmann::json dispersion_record(
    const mix::Rows& rows,
    int64_t tensors,
    const graph::StepTime& moment,
    double consensus_distance) {
  nlohmann::json record = {
      {"type", "dispersion"},
      {"step", moment.step},
      {"epoch", moment.epoch},
      {"consensus_distance", consensus_distance}};
  std::vector<double> values(rows.size());
  const auto column = [&](int64_t at) -> const std::vector<double>& {
    for (size_t i = 0; i < rows.size(); ++i)
      values[i] = rows[i][at];
    return values;
  };
  const std::vector<record::Metric>& metrics = record::metric_table();
  for (int64_t tensor = 0; tensor < tensors; ++tensor) {
    const std::vector<double> spreads = record::measure_all(column(tensor));
    for (size_t i = 0; i < metrics.size(); ++i)
      record[metrics[i].name].push_back(spreads[i]);
    record["gradient_norm"].push_back(mean_of(column(tensors + tensor)));
    record["update_ratio"].push_back(mean_of(column(2 * tensors + tensor)));
  }
  return record;
}

void add_evaluation(
    const std::optional<Evaluation>& evaluation,
    TrainResult& result) {
  result.test_accuracy = std::nan("");
  result.averaged_model_accuracy = std::nan("");
  result.replica_samples.reset();
  result.averaged_model_samples.reset();
  if (!evaluation) return;
  if (evaluation->replica_samples < evaluation->averaged_model_samples) {
    result.replica_samples = static_cast<double>(evaluation->replica_samples);
    result.averaged_model_samples =
        static_cast<double>(evaluation->averaged_model_samples);
  }
  result.test_accuracy = evaluation->mean_accuracy();
  result.averaged_model_accuracy = evaluation->averaged_model_accuracy;
  result.test_perplexity = evaluation->mean_perplexity();
  result.averaged_model_perplexity = evaluation->averaged_model_perplexity();
  result.test_top5 = evaluation->mean_top5();
  result.averaged_model_top5 = evaluation->averaged_model_top5;
  result.bleu = evaluation->bleu;
  result.ema_accuracy = evaluation->ema_accuracy;
  result.ema_perplexity = evaluation->ema_perplexity();
}

Progress make_progress(
    const RunConfig& config,
    const std::string& phase,
    int64_t steps,
    const std::vector<double>& losses,
    const std::optional<Evaluation>& evaluation,
    double degree,
    double seconds) {
  Progress progress;
  progress.phase = phase;
  progress.step = steps;
  progress.steps = config.total_steps;
  progress.epoch = config.moment(std::max<int64_t>(steps - 1, 0)).epoch + 1;
  progress.epochs = config.moment(config.total_steps - 1).epoch + 1;
  progress.loss = losses.empty() ? 0 : mean_of(losses);
  if (evaluation) {
    progress.test_accuracy = evaluation->mean_accuracy();
    progress.averaged_model_accuracy = evaluation->averaged_model_accuracy;
    progress.test_perplexity = evaluation->mean_perplexity();
  }
  progress.degree = degree;
  if (steps > 0 && seconds > 0) {
    const double per_step = seconds / static_cast<double>(steps);
    // Of the last step, which stands for all.
    const int64_t last = steps - 1;
    const int64_t each = config.steps_per_epoch();
    progress.samples_per_second =
        static_cast<double>(
            config.sharder->samples_in_step(last / each, last % each)) /
        per_step;
    progress.seconds_left =
        per_step * static_cast<double>(config.total_steps - steps);
  }
  return progress;
}

} // namespace grapevine::run
