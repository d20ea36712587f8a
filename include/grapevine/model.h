// Models by name: those of the zoo (`grapevine models`), and one's own.
//
//   grapevine::model::register_model(
//       {.name = "mine", .task = "image classification", …}, make_mine);
//   return grapevine::run_program(argc, argv);       // grapevine/program.h
//
// makes a program that is grapevine, with `--model mine`. A whole one is in
// examples/own_model.cpp.
//
// A Model is a torch module with one way to call it. Parameters begin the same
// in every replica and process: make them from options.seed, or with torch's
// generator after torch::manual_seed(options.seed). A forward pass reads them
// through their tensors, since these become views of one flat plane; what it
// does in place, it does to its own intermediate results. Chance in a forward
// pass comes from chance(), for instance by dropout() (grapevine/dropout.h),
// never from torch's generator, which all threads share.
#pragma once

#include <grapevine/dropout.h>

#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
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
  // Tokens that are sentence pairs: source, eos, pad …, bos, target, pad …,
  // with labels for the columns from bos on (pad is 0, bos 1, eos 2).
  bool pairs = false;
  uint64_t seed = 0;
  double dropout = 0; // probability; for models that have it
  // Rows of a training batch, for models that carry state from one to the
  // next; 0: nothing is carried.
  int64_t batch = 0;
  // Leave the parameters without values, where only their shapes matter.
  // Models that begin quickly anyway may take no notice.
  bool blank = false;
};

struct ModelEntry {
  std::string name;
  std::string task;    // "image classification", "language model", …
  std::string summary; // one line for --help and the docs
  // The sample shape and classes that the published parameter count is for.
  std::vector<int64_t> sample_shape;
  int classes = 10;
  bool tokens = false; // what it takes, as in the options
  bool pairs = false;
  // Images [channels, rows, columns] of at least so many rows and columns; 0:
  // samples of any shape.
  int64_t smallest_side = 0;
  bool has_dropout = false;
  bool carries_state = false; // recurrent: see Model::set_pass
};

using MakeModel =
    std::function<std::shared_ptr<Model>(const ModelOptions& options)>;

// Adds a model to the table. Before anything is trained, and not while another
// thread uses the table. ConfigError: the name is taken.
void register_model(const ModelEntry& entry, MakeModel make);

} // namespace grapevine::model
