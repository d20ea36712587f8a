#include "run/planes.h"

#include "base/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace grapevine::run {
namespace {

void append_tensors(
    std::vector<record::TensorView>& views,
    const tensor::Layout& layout,
    std::span<const float> plane) {
  for (const tensor::TensorEntry& tensor : layout.tensors()) {
    views.push_back(
        {tensor.name,
         tensor.shape,
         plane.subspan(tensor.offset, tensor.elements)});
  }
}

void load_tensors(
    const record::Safetensors& file,
    const std::string& path,
    const tensor::Layout& layout,
    std::span<float> plane,
    bool must_be_there) {
  for (const tensor::TensorEntry& tensor : layout.tensors()) {
    const auto found = file.tensors.find(tensor.name);
    if (found == file.tensors.end()) {
      if (!must_be_there) continue;
      throw IoError(fmt::format("{} has no tensor '{}'", path, tensor.name));
    }
    if (found->second.shape != tensor.shape) {
      throw IoError(fmt::format(
          "{}: tensor '{}' has the shape [{}], expected [{}]",
          path,
          tensor.name,
          fmt::join(found->second.shape, ", "),
          fmt::join(tensor.shape, ", ")));
    }
    std::ranges::copy(
        found->second.values,
        plane.subspan(tensor.offset).begin());
  }
}

// Returns what stands in the way of a checkpoint of so many workers; nothing
// once it has been restored.
std::string try_restore(
    const record::CheckpointInfo& checkpoint,
    int workers,
    const std::function<void(const record::CheckpointInfo&)>& restore) {
  const std::string name = checkpoint.directory.string();
  if (checkpoint.workers != workers) {
    return fmt::format("{} holds {} workers", name, checkpoint.workers);
  }
  try {
    restore(checkpoint);
  } catch (const IoError& error) {
    return error.what();
  } catch (const nlohmann::json::exception& error) {
    return fmt::format("{}: state of the manifest: {}", name, error.what());
  }
  return "";
}

} // namespace

record::TensorView plane_view(
    const std::string& name,
    std::span<const float> plane) {
  return {name, {static_cast<int64_t>(plane.size())}, plane};
}

void restore_plane(
    const record::Safetensors& file,
    const std::string& name,
    std::span<float> plane) {
  const auto found = file.tensors.find(name);
  if (found == file.tensors.end()) {
    throw IoError(fmt::format("the checkpoint has no plane '{}'", name));
  }
  const std::vector<float>& values = found->second.values;
  if (values.size() != plane.size()) {
    throw IoError(fmt::format(
        "plane '{}' of the checkpoint has {} values, expected {}",
        name,
        values.size(),
        plane.size()));
  }
  std::ranges::copy(values, plane.begin());
}

std::vector<record::TensorView> planes_to_store(
    const tensor::Arena& arena,
    const std::vector<std::string>& state_planes) {
  std::vector<record::TensorView> views = {
      plane_view("parameters", arena.parameters())};
  for (size_t i = 0; i < state_planes.size(); ++i) {
    views.push_back(
        plane_view(state_planes[i], arena.state(static_cast<int>(i))));
  }
  views.push_back(plane_view("buffers", arena.buffers()));
  return views;
}

void restore_planes(
    const record::Safetensors& file,
    const std::vector<std::string>& state_planes,
    tensor::Arena& arena) {
  restore_plane(file, "parameters", arena.parameters());
  for (size_t i = 0; i < state_planes.size(); ++i) {
    restore_plane(file, state_planes[i], arena.state(static_cast<int>(i)));
  }
  restore_plane(file, "buffers", arena.buffers());
}

std::vector<record::TensorView> named_tensors(const tensor::Arena& arena) {
  std::vector<record::TensorView> views;
  append_tensors(views, arena.layout(), arena.parameters());
  append_tensors(views, arena.buffer_layout(), arena.buffers());
  return views;
}

void load_named_tensors(
    const record::Safetensors& file,
    const std::string& path,
    tensor::Arena& arena) {
  load_tensors(file, path, arena.layout(), arena.parameters(), true);
  load_tensors(file, path, arena.buffer_layout(), arena.buffers(), false);
}

std::optional<record::CheckpointInfo> restore_newest(
    const record::Checkpoints& checkpoints,
    mix::Cluster& cluster,
    const std::function<void(const record::CheckpointInfo&)>& restore,
    const std::function<void(const std::string&)>& note) {
  std::string first_problem;
  for (const record::CheckpointInfo& candidate : checkpoints.list()) {
    std::string problem = try_restore(candidate, cluster.size(), restore);
    if (!problem.empty() && note) note("checkpoint passed over: " + problem);
    // All fall back to the same one when one of them cannot read its file.
    if (cluster.any(!problem.empty()) && problem.empty()) {
      problem =
          candidate.directory.string() + ": another worker cannot read it";
    }
    if (problem.empty()) return candidate;
    if (first_problem.empty()) first_problem = problem;
  }
  if (first_problem.empty()) return std::nullopt;
  throw IoError(fmt::format(
      "no checkpoint can be read; the newest: {} (`train --fresh` starts the "
      "run again)",
      first_problem));
}

} // namespace grapevine::run
