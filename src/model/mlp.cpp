// The multi-layer perceptron of the pilot experiment:
//
//   logits = fc3(relu(fc2(relu(fc1(flatten(x))))))   elements-128-128-classes
//
// He-normal weights by fan-in, zero biases.
#include "model/models.h"

#include "model/initial.h"
#include "model/layers.h"

#include <torch/torch.h>

namespace grapevine::model {
namespace {

constexpr int64_t kWidth = 128;

class Mlp final : public Model {
 public:
  Mlp(int64_t elements, int classes)
      : Model("mlp"),
        fc1_(register_module("fc1", Linear(elements, kWidth))),
        fc2_(register_module("fc2", Linear(kWidth, kWidth))),
        fc3_(register_module("fc3", Linear(kWidth, classes))) {}

  torch::Tensor forward(torch::Tensor input) override {
    auto x = fc1_->forward(input.flatten(1)).relu_();
    x = fc2_->forward(x).relu_();
    return fc3_->forward(x);
  }

 private:
  Linear fc1_;
  Linear fc2_;
  Linear fc3_;
};

} // namespace

std::shared_ptr<Model> make_mlp(const ModelOptions& options) {
  int64_t elements = 1;
  for (const int64_t extent : options.sample_shape)
    elements *= extent;
  auto model = std::make_shared<Mlp>(elements, options.classes);
  set_initial_values(*model, options.seed, {});
  return model;
}

} // namespace grapevine::model
