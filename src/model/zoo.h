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

#include "model/dropout.h"

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace grapevine::model {

// What a forward pass in training is told beside its input.
struct Pass {
  ChanceAddress chance;
  int64_t first_row = 0; // of the batch: the input's rows may be a part of it
  // Recurrent models: the rows go on with no text that was seen before.
  bool begins_stream = true;
};

class Model : public torch::nn::Module {
 public:
  using torch::nn::Module::Module;
  // Images [B, C, H, W] to logits [B, classes], or tokens [B, T] (int64) to
  // logits [labels of the batch, classes]: a row for each label. One thread at
  // a time in training, any number in evaluation.
  virtual torch::Tensor forward(torch::Tensor input) = 0;

  // The same in evaluation, for texts that are read on: starts from what the
  // pass before has left in `carried` (nothing = the beginning) and leaves
  // there what the next one needs.
  virtual torch::Tensor forward_from(
      torch::Tensor input,
      std::vector<torch::Tensor>& /*carried*/) {
    return forward(std::move(input));
  }

  // Of the next forward passes in training. A recurrent model keeps what it
  // carries from pass to pass in buffers [layers, batch, width], so that
  // checkpoints have it.
  void set_pass(const Pass& pass) { pass_ = pass; }

 protected:
  const Pass& pass() const { return pass_; }
  const ChanceAddress& chance() const { return pass_.chance; }

 private:
  Pass pass_;
};

struct ModelOptions {
  std::string name = "mlp";
  std::vector<int64_t> sample_shape = {1, 28, 28};
  int classes = 10;
  bool tokens = false; // samples are tokens below classes, not numbers
  uint64_t seed = 0;
  double dropout = 0; // probability; for models that have it
  // Rows of a training batch, for models that carry state from one to the
  // next; 0: nothing is carried.
  int64_t batch = 0;
};

struct ModelEntry {
  std::string name;
  std::string task;    // "image classification", "language model"
  std::string summary; // one line for --help and the docs
  // The sample shape and classes that the published parameter count is for.
  std::vector<int64_t> sample_shape;
  int classes;
  bool tokens = false; // what it takes, as in the options
  bool has_dropout = false;
  bool carries_state = false; // recurrent: see Model::set_pass
};

const std::vector<ModelEntry>& model_table();

// Throws ConfigError: an unknown name, with the nearest.
const ModelEntry& model_entry(const std::string& name);

// Throws ConfigError: an unknown name (with the nearest), tokens or numbers
// that the model cannot take, a shape that it cannot take (with what it
// takes), dropout where there is none.
void check_model(const ModelOptions& options);

// Throws as check_model.
std::shared_ptr<Model> make_model(const ModelOptions& options);

// Of the model at its table entry's shape.
int64_t parameter_count(const ModelEntry& entry);

} // namespace grapevine::model
