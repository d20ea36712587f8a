#include "run/best_replica.h"

#include "run/planes.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace grapevine::run {
namespace {

constexpr const char* kState = "best";
constexpr const char* kParameters = "best_parameters";
constexpr const char* kBuffers = "best_buffers";

} // namespace

void BestReplica::offer(
    const Quality& quality,
    int64_t epoch,
    const tensor::Arena& arena) {
  const std::lock_guard lock(mutex_);
  if (!best_.offer(quality, epoch) || !keeps_values_) return;
  parameters_.assign(arena.parameters().begin(), arena.parameters().end());
  buffers_.assign(arena.buffers().begin(), arena.buffers().end());
}

Best BestReplica::best() const {
  const std::lock_guard lock(mutex_);
  return best_;
}

bool BestReplica::gives_up() const {
  const std::lock_guard lock(mutex_);
  return best_.gives_up();
}

bool BestReplica::put_into(tensor::Arena& arena) const {
  const std::lock_guard lock(mutex_);
  if (parameters_.empty()) return false;
  std::ranges::copy(parameters_, arena.parameters().begin());
  std::ranges::copy(buffers_, arena.buffers().begin());
  return true;
}

BestReplica::Stored BestReplica::stored() const {
  const std::lock_guard lock(mutex_);
  return {best_.state().dump(), parameters_, buffers_};
}

void BestReplica::restore(
    const record::Safetensors& file,
    const tensor::Arena& arena) {
  const std::lock_guard lock(mutex_);
  const auto state = file.metadata.find(kState);
  if (state == file.metadata.end()) return;
  best_.restore(nlohmann::json::parse(state->second));
  if (!keeps_values_ || !file.tensors.contains(kParameters)) return;
  parameters_.resize(arena.parameters().size());
  restore_plane(file, kParameters, parameters_);
  buffers_.resize(arena.buffers().size());
  restore_plane(file, kBuffers, buffers_);
}

void add_best(
    const BestReplica::Stored& best,
    std::vector<record::TensorView>& planes,
    record::Metadata& metadata) {
  metadata[kState] = best.state;
  if (best.parameters.empty()) return;
  planes.push_back(plane_view(kParameters, best.parameters));
  planes.push_back(plane_view(kBuffers, best.buffers));
}

} // namespace grapevine::run
