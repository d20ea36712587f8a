// A model of one's own, trained by everything that Grapevine has.
//
//   own_model train --model small-vgg --data fashion-mnist -n 8 --epochs 1
//
// is `grapevine train` with one model more; so are `own_model models`,
// `own_model bench`, and `mpirun -np 8 own_model train …`.
#include <grapevine/model.h>
#include <grapevine/program.h>

#include <torch/torch.h>

using grapevine::model::Model;
using grapevine::model::ModelOptions;

class SmallVgg : public Model {
 public:
  explicit SmallVgg(const ModelOptions& options) : dropout_(options.dropout) {
    // The same beginning on every worker; set before anything is made.
    torch::manual_seed(options.seed);
    const int64_t channels = options.sample_shape[0];
    conv1_ = register_module("conv1", convolution(channels, 16));
    conv2_ = register_module("conv2", convolution(16, 32));
    fc_ = register_module("fc", torch::nn::Linear(32 * 4, options.classes));
  }

  torch::Tensor forward(torch::Tensor x) override {
    x = torch::max_pool2d(conv1_->forward(x).relu(), 2);
    x = torch::max_pool2d(conv2_->forward(x).relu(), 2);
    x = torch::adaptive_avg_pool2d(x, {2, 2}).flatten(1);
    if (is_training()) {
      // Chance with an address: the same in every repetition of a run.
      x = grapevine::model::dropout(x, dropout_, chance(), /*layer=*/0);
    }
    return fc_->forward(x);
  }

 private:
  static torch::nn::Conv2d convolution(int64_t in, int64_t out) {
    return torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 3).padding(1));
  }

  double dropout_;
  torch::nn::Conv2d conv1_ = nullptr, conv2_ = nullptr;
  torch::nn::Linear fc_ = nullptr;
};

int main(int argc, char** argv) {
  grapevine::model::register_model(
      {.name = "small-vgg",
       .task = "image classification",
       .summary = "two convolutions and a linear layer, from outside",
       .sample_shape = {1, 28, 28},
       .smallest_side = 8,
       .has_dropout = true},
      [](const ModelOptions& options) {
        return std::make_shared<SmallVgg>(options);
      });
  return grapevine::run_program(argc, argv);
}
