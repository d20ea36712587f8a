#include "run/result.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace grapevine::run {
namespace {

nlohmann::json finite_or_null(double value) {
  if (std::isfinite(value)) return value;
  return nullptr;
}

double number_or_nan(const nlohmann::json& value) {
  if (value.is_number()) return value.get<double>();
  return std::numeric_limits<double>::quiet_NaN();
}

Outcome outcome_from_string(const std::string& text) {
  for (const Outcome outcome :
       {Outcome::kCompleted, Outcome::kDiverged, Outcome::kInterrupted}) {
    if (to_string(outcome) == text) return outcome;
  }
  return Outcome::kFailed;
}

// What only some runs have.
struct OptionalNumber {
  const char* key;
  std::optional<double> TrainResult::*field;
};
constexpr OptionalNumber kOptionalNumbers[] = {
    {"replica_samples", &TrainResult::replica_samples},
    {"averaged_model_samples", &TrainResult::averaged_model_samples},
    {"averagings_per_gradient", &TrainResult::averagings_per_gradient},
    {"asked_rate", &TrainResult::asked_rate},
    {"test_perplexity", &TrainResult::test_perplexity},
    {"averaged_model_perplexity", &TrainResult::averaged_model_perplexity},
    {"test_top5", &TrainResult::test_top5},
    {"averaged_model_top5", &TrainResult::averaged_model_top5},
    {"bleu", &TrainResult::bleu},
    {"ema_accuracy", &TrainResult::ema_accuracy},
    {"ema_perplexity", &TrainResult::ema_perplexity},
    {"best_epoch", &TrainResult::best_epoch},
    {"best_accuracy", &TrainResult::best_accuracy},
    {"best_perplexity", &TrainResult::best_perplexity},
};

} // namespace

std::string to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::kCompleted:
      return "completed";
    case Outcome::kDiverged:
      return "diverged";
    case Outcome::kInterrupted:
      return "interrupted";
    case Outcome::kFailed:
      return "failed";
  }
  return "failed";
}

nlohmann::json to_json(const TrainResult& result) {
  nlohmann::json json = {
      {"run", result.run},
      {"outcome", to_string(result.outcome)},
      {"epochs", result.epochs},
      {"steps", result.steps},
      {"train_loss", finite_or_null(result.train_loss)},
      {"test_accuracy", finite_or_null(result.test_accuracy)},
      {"averaged_model_accuracy",
       finite_or_null(result.averaged_model_accuracy)},
      {"consensus_distance", finite_or_null(result.consensus_distance)},
      {"parameters_sha256", result.parameters_sha256},
      {"samples_per_second", finite_or_null(result.samples_per_second)},
      {"seconds", finite_or_null(result.seconds)},
      {"virtual_seconds",
       result.virtual_seconds ? finite_or_null(*result.virtual_seconds)
                              : nlohmann::json()},
      {"messages", result.messages},
      {"bytes", result.bytes}};
  for (const auto& [key, field] : kOptionalNumbers) {
    if (result.*field) json[key] = finite_or_null(*(result.*field));
  }
  return json;
}

TrainResult result_from_json(const nlohmann::json& json) {
  TrainResult result;
  result.run = json.at("run");
  result.outcome = outcome_from_string(json.at("outcome"));
  result.epochs = json.at("epochs");
  result.steps = json.at("steps");
  result.train_loss = number_or_nan(json.at("train_loss"));
  result.test_accuracy = number_or_nan(json.at("test_accuracy"));
  result.averaged_model_accuracy =
      number_or_nan(json.at("averaged_model_accuracy"));
  for (const auto& [key, field] : kOptionalNumbers) {
    if (json.contains(key)) result.*field = number_or_nan(json.at(key));
  }
  result.consensus_distance = number_or_nan(json.at("consensus_distance"));
  result.parameters_sha256 = json.at("parameters_sha256");
  result.samples_per_second = number_or_nan(json.at("samples_per_second"));
  result.seconds = number_or_nan(json.at("seconds"));
  if (json.at("virtual_seconds").is_number()) {
    result.virtual_seconds = json.at("virtual_seconds").get<double>();
  }
  result.messages = json.at("messages");
  result.bytes = json.at("bytes");
  return result;
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

} // namespace grapevine::run
