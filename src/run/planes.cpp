#include "run/planes.h"

#include "base/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

void load_initial_values(
    const RunConfig& config,
    std::vector<Worker>& workers) {
  if (config.spec.init.empty()) return;
  const record::Safetensors file = record::read_safetensors(config.spec.init);
  for (Worker& worker : workers)
    load_named_tensors(file, config.spec.init, worker.arena());
}

} // namespace grapevine::run
