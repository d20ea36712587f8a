// The models by name. A Model is a torch module with one way to call it; how
// it is trained is nobody's business here.
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

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace grapevine::model {

class Model : public torch::nn::Module {
 public:
  using torch::nn::Module::Module;
  // Images [B, C, H, W] to logits [B, classes]. One thread at a time.
  virtual torch::Tensor forward(torch::Tensor input) = 0;
};

struct ModelOptions {
  std::string name = "mlp";
  std::vector<int64_t> sample_shape = {1, 28, 28};
  int classes = 10;
  uint64_t seed = 0;
};

struct ModelEntry {
  std::string name;
  std::string task;    // "image classification"
  std::string summary; // one line for --help and the docs
  // The sample shape and classes that the published parameter count is for.
  std::vector<int64_t> sample_shape;
  int classes;
};

const std::vector<ModelEntry>& model_table();

// Throws ConfigError: an unknown name (with the nearest), a shape that the
// model cannot take (with what it takes).
std::shared_ptr<Model> make_model(const ModelOptions& options);

// Of the model at its table entry's shape.
int64_t parameter_count(const ModelEntry& entry);

} // namespace grapevine::model
