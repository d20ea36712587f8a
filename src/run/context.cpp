#include "run/context.h"

#include "run/replicas.h"

#include <nlohmann/json.hpp>

namespace grapevine::run {

RunContext::RunContext(
    const RunConfig& its_config,
    std::vector<int> its_hosted,
    record::RunDirectory its_directory,
    int its_attempt,
    const TrainHooks& its_hooks)
    : config(its_config),
      hosted(std::move(its_hosted)),
      directory(std::move(its_directory)),
      checkpoints(directory),
      attempt(its_attempt),
      hooks(its_hooks),
      workers(make_workers(config, hosted.size())),
      spare(config.spare_options()),
      spans(hosted.size()),
      log(directory.records(hosted.front()), config, attempt),
      best(config.spec),
      epoch_losses(hosted.size()) {}

void RunContext::restore(const nlohmann::json& state) {
  last_train_loss = number_or_nan(state.at("train_loss"));
  clock.set_earlier(state.at("seconds"), state.at("training_seconds"));
  // A run that was begun without asking for the best has none.
  if (best.is_wanted() && state.contains("best")) {
    best.restore(state.at("best"));
  }
}

double number_or_nan(const nlohmann::json& value) {
  return value.is_number() ? value.get<double>() : std::nan("");
}

std::vector<double> numbers_or_nan(const nlohmann::json& values) {
  std::vector<double> numbers;
  for (const nlohmann::json& value : values)
    numbers.push_back(number_or_nan(value));
  return numbers;
}

} // namespace grapevine::run
