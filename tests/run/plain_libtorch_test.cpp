// A run of one worker is plain libtorch training, bit for bit.
#include "algo/sgd.h"
#include "base/random.h"
#include "data/loader.h"
#include "data/source.h"
#include "model/zoo.h"
#include "run/worker.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

namespace grapevine::run {
namespace {

struct Case {
  double momentum;
  bool nesterov;
  double weight_decay;
};

class PlainLibtorch : public ::testing::TestWithParam<Case> {};

data::Batch random_batch(int64_t step) {
  Random random(3, Purpose::kTest, step);
  data::Batch batch;
  const int64_t samples = 8;
  batch.sample_shape = {3, 32, 32};
  batch.inputs.resize(samples * 3 * 32 * 32);
  for (float& value : batch.inputs)
    value = static_cast<float>(random.normal());
  for (int64_t i = 0; i < samples; ++i) {
    batch.labels.push_back(static_cast<int64_t>(random.below(10)));
  }
  return batch;
}

TEST_P(PlainLibtorch, TwentyStepsOfResnet20) {
  use_one_torch_thread();
  const Case c = GetParam();
  Worker worker(
      {.model = "resnet20",
       .sample_shape = {3, 32, 32},
       .classes = 10,
       .seed = 1,
       .state_planes = 1});
  const algo::Sgd rule(
      {.momentum = c.momentum,
       .nesterov = c.nesterov,
       .weight_decay = c.weight_decay,
       .decay_everything = true});
  const auto model = model::make_model(
      {.name = "resnet20",
       .sample_shape = {3, 32, 32},
       .classes = 10,
       .seed = 1});
  torch::optim::SGD optimizer(
      model->parameters(),
      torch::optim::SGDOptions(0.1)
          .momentum(c.momentum)
          .nesterov(c.nesterov)
          .weight_decay(c.weight_decay));

  record::Spans spans;
  for (int64_t step = 0; step < 20; ++step) {
    data::Batch batch = random_batch(step);
    const double ours = worker.compute_gradient(batch, {}, spans);
    rule.update(
        worker.arena(),
        {0, worker.arena().layout().size()},
        {.step = step, .lr = 0.1},
        {},
        {});

    optimizer.zero_grad();
    const torch::Tensor loss = torch::nn::functional::cross_entropy(
        model->forward(torch::from_blob(batch.inputs.data(), {8, 3, 32, 32})),
        torch::from_blob(batch.labels.data(), {8}, torch::kInt64));
    loss.backward();
    optimizer.step();
    ASSERT_EQ(ours, loss.item<double>()) << "step " << step;
  }
  const auto parameters = model->parameters();
  const auto& tensors = worker.arena().layout().tensors();
  ASSERT_EQ(parameters.size(), tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const torch::Tensor mine = torch::from_blob(
        worker.arena().parameters().data() + tensors[i].offset,
        tensors[i].shape);
    EXPECT_TRUE(torch::equal(mine, parameters[i])) << tensors[i].name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Options,
    PlainLibtorch,
    ::testing::Values(
        Case{0, false, 0},
        Case{0.9, false, 0},
        Case{0.9, false, 5e-4},
        Case{0.9, true, 0},
        Case{0.9, true, 5e-4}));

} // namespace
} // namespace grapevine::run
