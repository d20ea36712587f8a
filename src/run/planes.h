// What of a run goes into model files and checkpoints, and comes back.
#pragma once

#include "mix/cluster.h"
#include "record/checkpoint.h"
#include "record/safetensors.h"
#include "tensor/arena.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace grapevine::run {

// A worker's checkpoint: the planes "parameters", each of the agreement's state
// planes (the local rule's among them) under its name, and "buffers", flat,
// gaps included. Borrowed from the arena.
std::vector<record::TensorView> planes_to_store(
    const tensor::Arena& arena,
    const std::vector<std::string>& state_planes);

// One whole plane under its name, borrowed; and back: IoError if it is missing
// or has another size.
record::TensorView plane_view(
    const std::string& name,
    std::span<const float> plane);
void restore_plane(
    const record::Safetensors& file,
    const std::string& name,
    std::span<float> plane);

// The reverse of planes_to_store. IoError as restore_plane.
void restore_planes(
    const record::Safetensors& file,
    const std::vector<std::string>& state_planes,
    tensor::Arena& arena);

// Parameters and buffers one by one under PyTorch's names, borrowed.
std::vector<record::TensorView> named_tensors(const tensor::Arena& arena);

// The reverse, for --init. Parameters must all be there with their shapes
// (IoError names the first that is not); buffers may be missing. path is for
// messages.
void load_named_tensors(
    const record::Safetensors& file,
    const std::string& path,
    tensor::Arena& arena);

// Restores the newest checkpoint that `restore` can take up, on all processes
// of the cluster, and returns it; nothing where there is none. An IoError that
// `restore` throws, or a state in the manifest that is not as it should be,
// is told to `note`, and all processes pass on to the next older one. IoError
// where there are checkpoints and none can be used. Collective.
std::optional<record::CheckpointInfo> restore_newest(
    const record::Checkpoints& checkpoints,
    mix::Cluster& cluster,
    const std::function<void(const record::CheckpointInfo&)>& restore,
    const std::function<void(const std::string&)>& note = nullptr);

} // namespace grapevine::run
