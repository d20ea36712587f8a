#include "cli/run_text.h"

#include "cli/table.h"
#include "cli/units.h"
#include "spec/spec.h"

#include <fmt/format.h>

namespace grapevine::cli {
namespace {

std::string length_text(const spec::Spec& spec) {
  std::string text = fmt::format("{} epochs", spec.epochs);
  if (spec.steps > 0) text += fmt::format(", at most {} steps", spec.steps);
  return text + fmt::format(", batch {} a worker", spec.batch);
}

std::string rate_text(const spec::Spec& spec) {
  std::string text = fmt::format("{} {}", spec.lr, spec.lr_schedule);
  if (spec.warmup > 0) text += fmt::format(", warm-up {}", spec.warmup);
  if (spec.lr_scaling != "none") {
    text += fmt::format(", {} by {}", spec.lr_scaling, spec.lr_scaling_by);
  }
  return text;
}

// Of figures beside which that of the averaged model stands.
std::string replicas_text(const run::TrainResult& result) {
  if (!result.replica_samples) return " (mean over replicas)";
  return fmt::format(
      " (mean over replicas, on {:.0f} of {:.0f} samples)",
      *result.replica_samples,
      *result.averaged_model_samples);
}

std::string rule_text(const spec::Spec& spec) {
  std::string text = algo::describe(spec::rule_options(spec));
  if (spec.clip > 0) text += fmt::format(", clip {}", spec.clip);
  return text;
}

} // namespace

std::string spec_summary(const spec::Spec& spec) {
  Table table;
  table.add_row({"task", fmt::format("{} on {}", spec.model, spec.data)});
  table.add_row({"workers", fmt::format("{} ({})", spec.n, spec.transport)});
  table.add_row(
      {"agreement", fmt::format("{} on {}", spec.agreement, spec.graph)});
  table.add_row({"local rule", rule_text(spec)});
  table.add_row({"learning rate", rate_text(spec)});
  table.add_row({"length", length_text(spec)});
  table.add_row({"seed", fmt::format("{}", spec.seed)});
  return table.text();
}

std::string result_summary(const run::TrainResult& result) {
  Table table;
  table.add_row({"run", result.run});
  table.add_row(
      {"outcome",
       to_string(result.outcome) +
           (result.was_stored ? " before; --fresh starts over" : "")});
  table.add_row(
      {"length",
       fmt::format("{} epochs, {} steps", result.epochs, result.steps)});
  table.add_row({"train loss", human_number(result.train_loss)});
  table.add_row(
      {"test accuracy",
       human_percent(result.test_accuracy) + replicas_text(result)});
  table.add_row(
      {"averaged model", human_percent(result.averaged_model_accuracy)});
  if (result.test_perplexity) {
    table.add_row(
        {"test perplexity",
         human_number(*result.test_perplexity) + replicas_text(result)});
  }
  if (result.averaged_model_perplexity) {
    table.add_row(
        {"averaged model",
         "perplexity " + human_number(*result.averaged_model_perplexity)});
  }
  if (result.bleu) {
    table.add_row(
        {"BLEU", fmt::format("{:.2f} (averaged model)", *result.bleu)});
  }
  if (result.averaged_model_top5) {
    table.add_row(
        {"among five",
         human_percent(*result.averaged_model_top5) + " (averaged model)"});
  }
  if (result.ema_accuracy) {
    table.add_row(
        {"moving average",
         quality_text(*result.ema_accuracy, result.ema_perplexity)});
  }
  if (result.best_epoch) {
    table.add_row(
        {"best",
         fmt::format(
             "{} after epoch {}",
             quality_text(*result.best_accuracy, result.best_perplexity),
             *result.best_epoch)});
  }
  table.add_row(
      {"consensus distance", human_number(result.consensus_distance)});
  if (result.averagings_per_gradient) {
    table.add_row(
        {"averagings a gradient",
         fmt::format(
             "{:.2f} of {} asked for",
             *result.averagings_per_gradient,
             *result.asked_rate)});
  }
  table.add_row(
      {"sent",
       fmt::format(
           "{} messages, {}",
           human_count(static_cast<double>(result.messages)),
           human_bytes(static_cast<double>(result.bytes)))});
  table.add_row(
      {"time",
       fmt::format(
           "{}, {} samples/s",
           human_seconds(result.seconds),
           human_count(result.samples_per_second))});
  if (result.virtual_seconds) {
    table.add_row({"virtual time", human_seconds(*result.virtual_seconds)});
  }
  table.add_row({"parameters", "sha256 " + result.parameters_sha256});
  return table.text();
}

} // namespace grapevine::cli
