#include "train/best.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace grapevine::train {

bool Best::offer(const Evaluation& evaluation, int64_t epoch) {
  const double accuracy = evaluation.averaged_model_accuracy;
  const double loss = evaluation.averaged_model_loss;
  is_text_ = evaluation.has_perplexity;
  const bool is_better =
      std::isfinite(loss) &&
      (epoch_ == 0 || (is_text_ ? loss < loss_ : accuracy > accuracy_));
  if (!is_better) {
    ++since_;
    return false;
  }
  epoch_ = epoch;
  accuracy_ = accuracy;
  loss_ = loss;
  since_ = 0;
  return true;
}

void Best::add_to(TrainResult& result) const {
  if (epoch_ == 0) return;
  result.best_epoch = static_cast<double>(epoch_);
  result.best_accuracy = accuracy_;
  if (is_text_) result.best_perplexity = std::exp(loss_);
}

nlohmann::json Best::state() const {
  return {
      {"epoch", epoch_},
      {"accuracy", accuracy_},
      {"loss", loss_},
      {"is_text", is_text_},
      {"since", since_}};
}

void Best::restore(const nlohmann::json& state) {
  epoch_ = state.at("epoch");
  accuracy_ = state.at("accuracy");
  loss_ = state.at("loss");
  is_text_ = state.at("is_text");
  since_ = state.at("since");
}

} // namespace grapevine::train
