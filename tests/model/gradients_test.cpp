// Gradients against differences, in double, with chance and batch statistics
// as in training:
//
//   d/dh L(x + h v) at 0  ~  (L(x + h v) - L(x - h v)) / 2h
//
// A direction v has a few coordinates of every tensor of a group, +1 or -1. A
// group is one tensor, or where a model has many, several: a wrong gradient of
// one of them shows in their sum.
#include "model/trials.h"

#include <algorithm>
#include <cmath>

namespace grapevine::model {
namespace {

// Short, so that hardly any relu or pool changes its mind on the way.
constexpr double kStep = 1e-7;
constexpr int64_t kCoordinates = 4; // of a tensor

// Groups of a model, at most: large ones take their time.
size_t most_groups(const Model& model) {
  constexpr int64_t kLarge = 500'000; // parameters
  int64_t count = 0;
  for (const auto& parameter : model.parameters())
    count += parameter.numel();
  return count > kLarge ? 12 : 70;
}

struct Coordinate {
  torch::Tensor values;   // flat
  torch::Tensor gradient; // flat
  int64_t at;
  double sign;
};

void move(const std::vector<Coordinate>& direction, double by) {
  for (const auto& part : direction)
    part.values.data_ptr<double>()[part.at] += by * part.sign;
}

double slope(const std::vector<Coordinate>& direction) {
  double sum = 0;
  for (const auto& part : direction)
    sum += part.sign * part.gradient.data_ptr<double>()[part.at];
  return sum;
}

class Gradients : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(trials().contains(GetParam()))
        << "tests/model/trials.h has no line for the model " << GetParam();
    model_ = make_trial(GetParam());
    model_->to(torch::kDouble);
    model_->train();
    // At the beginning some parameters are zero, or so small that their effect
    // is; a little noise makes all gradients worth a look.
    Random random(5, Purpose::kTest);
    for (auto& parameter : model_->parameters()) {
      auto values = parameter.detach().view({-1});
      for (int64_t i = 0; i < values.numel(); ++i)
        values.data_ptr<double>()[i] += 0.05 * random.normal();
    }
    batch_ = make_batch(trial_of(GetParam()), 0);
    if (batch_.input.is_floating_point())
      batch_.input = batch_.input.to(torch::kDouble).requires_grad_();
  }

  double loss() {
    const torch::NoGradGuard guard;
    const auto value = trial_loss(*model_, batch_, 2);
    EXPECT_EQ(value.scalar_type(), torch::kDouble);
    return value.item<double>();
  }

  // A few coordinates of a tensor; all, if it has no more.
  static void add_coordinates(
      torch::Tensor& parameter,
      Random& random,
      std::vector<Coordinate>& direction) {
    const int64_t count = std::min(kCoordinates, parameter.numel());
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = count < kCoordinates
                             ? i
                             : static_cast<int64_t>(random.below(
                                   static_cast<uint64_t>(parameter.numel())));
      direction.push_back(
          {parameter.detach().view({-1}),
           parameter.grad().contiguous().view({-1}),
           at,
           random.below(2) == 0 ? 1.0 : -1.0});
    }
  }

  void check(
      const std::vector<Coordinate>& direction,
      const std::string& first_tensor) {
    move(direction, kStep);
    const double above = loss();
    move(direction, -2 * kStep);
    const double below = loss();
    move(direction, kStep);
    const double difference = (above - below) / (2 * kStep);
    const double expected = slope(direction);
    EXPECT_NEAR(difference, expected, 1e-6 + 1e-4 * std::abs(expected))
        << "from tensor " << first_tensor;
  }

  std::shared_ptr<Model> model_;
  TrialBatch batch_;
};

TEST_P(Gradients, AreTheDifferences) {
  trial_loss(*model_, batch_, 2).backward();
  auto parameters = model_->named_parameters().pairs();
  const size_t groups = most_groups(*model_);
  const size_t group = (parameters.size() + groups - 1) / groups; // tensors
  Random random(9, Purpose::kTest);
  for (size_t first = 0; first < parameters.size(); first += group) {
    std::vector<Coordinate> direction;
    for (size_t i = first; i < std::min(first + group, parameters.size());
         ++i) {
      ASSERT_TRUE(parameters[i].second.grad().defined()) << parameters[i].first;
      add_coordinates(parameters[i].second, random, direction);
    }
    check(direction, parameters[first].first);
  }
  if (!batch_.input.requires_grad()) return;
  std::vector<Coordinate> direction;
  add_coordinates(batch_.input, random, direction);
  check(direction, "input");
}

INSTANTIATE_TEST_SUITE_P(
    Zoo,
    Gradients,
    testing::ValuesIn(model_names()),
    test_name);

} // namespace
} // namespace grapevine::model
