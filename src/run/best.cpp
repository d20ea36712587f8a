#include "run/best.h"

#include "run/planes.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace grapevine::run {
namespace {

constexpr const char* kState = "best";
constexpr const char* kParameters = "best_parameters";
constexpr const char* kBuffers = "best_buffers";

nlohmann::json json_of(const Best::State& state) {
  return {
      {"epoch", state.epoch},
      {"accuracy", state.quality.accuracy},
      {"loss", state.quality.loss},
      {"is_text", state.quality.is_text},
      {"since", state.since}};
}

Best::State state_in(const nlohmann::json& json) {
  return {
      .epoch = json.at("epoch"),
      .quality =
          {.accuracy = json.at("accuracy"),
           .loss = json.at("loss"),
           .is_text = json.at("is_text")},
      .since = json.at("since")};
}

} // namespace

Quality quality_of_mean(const Evaluation& evaluation) {
  return {
      .accuracy = evaluation.averaged_model_accuracy,
      .loss = evaluation.averaged_model_loss,
      .is_text = evaluation.has_perplexity};
}

bool is_better(const Quality& quality, const Best::State& than) {
  if (!std::isfinite(quality.loss)) return false;
  if (than.epoch == 0) return true;
  return quality.is_text ? quality.loss < than.quality.loss
                         : quality.accuracy > than.quality.accuracy;
}

bool Best::offer(
    const Quality& quality,
    int64_t epoch,
    const tensor::Arena* values) {
  if (!is_wanted()) return false;
  const std::lock_guard lock(mutex_);
  if (!is_better(quality, state_)) {
    ++state_.since;
    return false;
  }
  state_ = {.epoch = epoch, .quality = quality, .since = 0};
  if (keeps_ && values != nullptr) {
    parameters_.assign(
        values->parameters().begin(),
        values->parameters().end());
    buffers_.assign(values->buffers().begin(), values->buffers().end());
  }
  return keeps_;
}

bool Best::gives_up() const {
  const std::lock_guard lock(mutex_);
  return patience_ > 0 && state_.since >= patience_;
}

Best::State Best::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void Best::set_state(const State& state) {
  const std::lock_guard lock(mutex_);
  state_ = state;
}

void Best::add_to(TrainResult& result) const {
  const State best = state();
  if (best.epoch == 0) return;
  result.best_epoch = static_cast<double>(best.epoch);
  result.best_accuracy = best.quality.accuracy;
  if (best.quality.is_text) {
    result.best_perplexity = std::exp(best.quality.loss);
  }
}

bool Best::put_into(tensor::Arena& arena) const {
  const std::lock_guard lock(mutex_);
  if (parameters_.empty()) return false;
  std::ranges::copy(parameters_, arena.parameters().begin());
  std::ranges::copy(buffers_, arena.buffers().begin());
  return true;
}

nlohmann::json Best::to_json() const {
  return json_of(state());
}

void Best::restore(const nlohmann::json& json) {
  set_state(state_in(json));
}

Best::Stored Best::stored() const {
  const std::lock_guard lock(mutex_);
  return {json_of(state_).dump(), parameters_, buffers_};
}

void Best::Stored::add_to(
    std::vector<record::TensorView>& planes,
    record::Metadata& metadata) const {
  metadata[kState] = state;
  if (parameters.empty()) return;
  planes.push_back(plane_view(kParameters, parameters));
  planes.push_back(plane_view(kBuffers, buffers));
}

void Best::restore(
    const record::Safetensors& file,
    const tensor::Arena& arena) {
  const auto state = file.metadata.find(kState);
  if (state == file.metadata.end()) return;
  const std::lock_guard lock(mutex_);
  state_ = state_in(nlohmann::json::parse(state->second));
  if (!keeps_ || !file.tensors.contains(kParameters)) return;
  parameters_.resize(arena.parameters().size());
  restore_plane(file, kParameters, parameters_);
  buffers_.resize(arena.buffers().size());
  restore_plane(file, kBuffers, buffers_);
}

void write_model(
    const std::filesystem::path& file,
    const spec::Spec& spec,
    const tensor::Arena& arena,
    int64_t steps) {
  record::write_safetensors(
      file,
      named_tensors(arena),
      {{"model", spec.model},
       {"step", std::to_string(steps)},
       {"workers", std::to_string(spec.n)}});
}

} // namespace grapevine::run
