#include "run/best.h"

#include "record/safetensors.h"
#include "run/planes.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace grapevine::run {

Quality quality_of_mean(const Evaluation& evaluation) {
  return {
      .accuracy = evaluation.averaged_model_accuracy,
      .loss = evaluation.averaged_model_loss,
      .is_text = evaluation.has_perplexity};
}

std::optional<Best> Best::wanted_by(const spec::Spec& spec) {
  if (spec.early_stop == 0 && !spec.keep_best) return std::nullopt;
  return Best(spec.early_stop);
}

bool Best::offer(const Quality& quality, int64_t epoch) {
  const bool is_better =
      std::isfinite(quality.loss) &&
      (epoch_ == 0 || (quality.is_text ? quality.loss < quality_.loss
                                       : quality.accuracy > quality_.accuracy));
  if (!is_better) {
    ++since_;
    return false;
  }
  epoch_ = epoch;
  quality_ = quality;
  since_ = 0;
  return true;
}

void Best::add_to(TrainResult& result) const {
  if (epoch_ == 0) return;
  result.best_epoch = static_cast<double>(epoch_);
  result.best_accuracy = quality_.accuracy;
  if (quality_.is_text) result.best_perplexity = std::exp(quality_.loss);
}

nlohmann::json Best::state() const {
  return {
      {"epoch", epoch_},
      {"accuracy", quality_.accuracy},
      {"loss", quality_.loss},
      {"is_text", quality_.is_text},
      {"since", since_}};
}

void Best::restore(const nlohmann::json& state) {
  epoch_ = state.at("epoch");
  quality_ = {
      .accuracy = state.at("accuracy"),
      .loss = state.at("loss"),
      .is_text = state.at("is_text")};
  since_ = state.at("since");
}

void write_best_model(
    const record::RunDirectory& directory,
    const RunConfig& config,
    const tensor::Arena& arena,
    int64_t steps) {
  record::write_safetensors(
      directory.best_model(),
      named_tensors(arena),
      {{"model", config.spec.model},
       {"step", std::to_string(steps)},
       {"workers", std::to_string(config.spec.n)}});
}

bool is_to_be_kept(
    Best& best,
    const RunConfig& config,
    const Evaluation& evaluation,
    int64_t steps) {
  const int64_t epoch = config.moment(std::max<int64_t>(steps - 1, 0)).epoch;
  const bool is_better = best.offer(quality_of_mean(evaluation), epoch + 1);
  return is_better && config.spec.keep_best;
}

} // namespace grapevine::run
