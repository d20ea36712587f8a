// What a run has come to, as it is printed and stored in run.json.
#pragma once

#include "run/evaluator.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace grapevine::run {

enum class Outcome { kCompleted, kDiverged, kInterrupted, kFailed };
std::string to_string(Outcome outcome);

struct TrainResult {
  std::string run; // directory
  Outcome outcome = Outcome::kCompleted;
  int64_t epochs = 0;
  int64_t steps = 0;
  double train_loss = 0;    // mean over replicas and the last epoch
  double test_accuracy = 0; // mean over replicas
  double averaged_model_accuracy = 0;
  // Where the two are not of the same test samples: of how many each.
  std::optional<double> replica_samples;
  std::optional<double> averaged_model_samples;
  // Language models alone: exp of the mean test loss, mean over replicas.
  std::optional<double> test_perplexity;
  std::optional<double> averaged_model_perplexity;
  // Images in more than ten classes alone: the right one is among the five
  // most likely.
  std::optional<double> test_top5; // mean over replicas
  std::optional<double> averaged_model_top5;
  // Sentence pairs alone: of the averaged model's translations, 0 to 100.
  std::optional<double> bleu;
  // With a moving average of the weights: of the replicas' mean.
  std::optional<double> ema_accuracy;
  std::optional<double> ema_perplexity;
  // Of the averaged model at the best evaluation, from 1, where it was kept or
  // ended the run.
  std::optional<double> best_epoch;
  std::optional<double> best_accuracy;
  std::optional<double> best_perplexity;
  // Asynchronous runs alone: of all workers since the run began, or since each
  // process did, and what --rate asked for.
  std::optional<double> averagings_per_gradient;
  std::optional<double> asked_rate;
  double consensus_distance = 0;
  std::string parameters_sha256;
  double samples_per_second = 0;
  double seconds = 0;
  std::optional<double> virtual_seconds;
  int64_t messages = 0;
  int64_t bytes = 0;
  // On the process that reports; elsewhere some of it may be missing.
  bool is_complete = false;
  bool was_stored = false; // the run had finished before; nothing was done
};
// The result's JSON names are in docs/formats.md; what is not finite is null,
// and what a run does not measure has no key.
nlohmann::json to_json(const TrainResult& result);
TrainResult result_from_json(const nlohmann::json& json);

// Sets what of a result an evaluation knows; without one it is not a number.
void add_evaluation(
    const std::optional<Evaluation>& evaluation,
    TrainResult& result);

} // namespace grapevine::run
