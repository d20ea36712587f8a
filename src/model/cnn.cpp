// A small convolutional network:
//
//   conv1 3x3, 16 - relu - max-pool 2 - conv2 3x3, 32 - relu - max-pool 2 - fc
//
// He-normal weights by fan-in, zero biases. Takes images of at least 4 x 4
// with any number of channels.
#include "model/models.h"

#include "model/initial.h"
#include "model/layers.h"

#include <torch/torch.h>

namespace grapevine::model {
namespace {

class Cnn final : public Model {
 public:
  explicit Cnn(const ModelOptions& options)
      : Model("cnn"),
        conv1_(register_module(
            "conv1",
            Conv(ConvOptions{
                .in = options.sample_shape[0],
                .out = 16,
                .bias = true}))),
        conv2_(register_module(
            "conv2",
            Conv(ConvOptions{.in = 16, .out = 32, .bias = true}))),
        fc_(register_module(
            "fc",
            Linear(
                32 * (options.sample_shape[1] / 4) *
                    (options.sample_shape[2] / 4),
                options.classes))) {}

  torch::Tensor forward(torch::Tensor input) override {
    auto x = torch::max_pool2d(conv1_->forward(input).relu_(), 2);
    x = torch::max_pool2d(conv2_->forward(x).relu_(), 2);
    return fc_->forward(x.flatten(1));
  }

 private:
  Conv conv1_;
  Conv conv2_;
  Linear fc_;
};

} // namespace

std::shared_ptr<Model> make_cnn(const ModelOptions& options) {
  auto model = std::make_shared<Cnn>(options);
  set_initial_values(*model, options.seed, {});
  return model;
}

} // namespace grapevine::model
