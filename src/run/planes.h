// What of an arena goes into files, and comes back.
#pragma once

#include "record/safetensors.h"
#include "run/run_config.h"
#include "run/worker.h"
#include "tensor/arena.h"

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

// The values of the spec's --init, where there is one, for all of them.
void load_initial_values(const RunConfig& config, std::vector<Worker>& workers);

} // namespace grapevine::run
