// The table of models (grapevine/model.h), and of what a TorchScript file can
// be: a name that ends in .pt is its path (model/script_model.h).
//
// Initial values come from base/random.h, addressed by (seed, tensor), never
// from torch's generator: all replicas begin equal, in any process, and making
// a model leaves torch's generator as it was.
//
// Parameters and buffers carry PyTorch's names (layer1.0.conv1.weight). A
// forward pass reads the parameters through their tensors, so these may be
// bound to views of a flat plane; what it does in place, it does to its own
// intermediate results.
#pragma once

#include <grapevine/model.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace grapevine::model {

// Those that have a name, in order; registered ones last.
std::vector<ModelEntry> model_table();

// Throws ConfigError: an unknown name, with the nearest.
ModelEntry model_entry(const std::string& name);

// Throws ConfigError: an unknown name (with the nearest), tokens or numbers
// that the model cannot take, a shape that it cannot take (with what it
// takes), dropout where there is none.
void check_model(const ModelOptions& options);

// Throws as check_model.
std::shared_ptr<Model> make_model(const ModelOptions& options);

// Of the model at its table entry's shape.
int64_t parameter_count(const ModelEntry& entry);

} // namespace grapevine::model
