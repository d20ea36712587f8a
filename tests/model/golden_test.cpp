// Twenty steps of plain gradient descent of every model. In float, two runs
// have the same losses bit for bit, dropout included. In double, the losses are
// those of golden.json to 1e-4: in float, what one machine's kernels round
// otherwise than another's grows a thousandfold in a deep network with batch
// norms. After a change that is meant to change them:
//
//   GRAPEVINE_WRITE_GOLDEN=1 build/tests/model_test --gtest_filter='*Golden*'
#include "model/trials.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>

namespace grapevine::model {
namespace {

constexpr int kSteps = 20;
constexpr int kBatches = 2; // seen in turn, so that there is something to learn
constexpr double kTolerance = 1e-4;

std::string golden_file() {
  return GV_SOURCE_DIR "/tests/model/golden.json";
}

using Curve = std::vector<double>;
using Curves = std::map<std::string, Curve>;

Curves stored() {
  std::ifstream file(golden_file());
  return nlohmann::json::parse(file).get<Curves>();
}

// A model a line.
void store(const Curves& curves) {
  std::ofstream file(golden_file());
  const char* before = "{\n";
  for (const auto& [name, curve] : curves) {
    file << before << fmt::format("  \"{}\": [", name);
    for (size_t i = 0; i < curve.size(); ++i)
      file << fmt::format("{}{:.6f}", i == 0 ? "" : ", ", curve[i]);
    file << "]";
    before = ",\n";
  }
  file << "\n}\n";
}

Curve train(const std::string& name, torch::Dtype type, int steps) {
  const Trial& trial = trial_of(name);
  const auto model = make_trial(name);
  model->to(type);
  model->train();
  Curve losses;
  for (int step = 0; step < steps; ++step) {
    TrialBatch batch = make_batch(trial, step % kBatches);
    if (batch.input.is_floating_point()) batch.input = batch.input.to(type);
    const auto loss = trial_loss(*model, batch, step, step == 0);
    losses.push_back(loss.item<double>());
    model->zero_grad();
    loss.backward();
    const torch::NoGradGuard guard;
    for (auto& parameter : model->parameters())
      parameter.add_(parameter.grad(), -trial.lr);
  }
  return losses;
}

class Golden : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(trials().contains(GetParam()))
        << "tests/model/trials.h has no line for the model " << GetParam();
  }
};

TEST_P(Golden, TwentySteps) {
  const std::string& name = GetParam();
  const Curve curve = train(name, torch::kDouble, kSteps);
  EXPECT_LT(curve.back() + curve[kSteps - 2], curve[0] + curve[1])
      << "it learns nothing";
  auto curves = stored();
  if (std::getenv("GRAPEVINE_WRITE_GOLDEN") != nullptr) {
    curves[name] = curve;
    store(curves);
    return;
  }
  ASSERT_EQ(curves[name].size(), curve.size())
      << golden_file() << " has no curve of " << name
      << "; the first lines of this test's source say how to write it";
  for (int step = 0; step < kSteps; ++step)
    EXPECT_NEAR(curve[step], curves[name][step], kTolerance) << step;
}

TEST_P(Golden, TwoRunsHaveTheSameBits) {
  const std::string& name = GetParam();
  constexpr int kFew = 6; // what differs does so at once
  const Curve curve = train(name, torch::kFloat, kFew);
  EXPECT_EQ(train(name, torch::kFloat, kFew), curve);
  // And begin where the golden curve does.
  EXPECT_NEAR(curve[0], train(name, torch::kDouble, 1)[0], 1e-3);
}

INSTANTIATE_TEST_SUITE_P(
    Zoo,
    Golden,
    testing::ValuesIn(model_names()),
    test_name);

TEST(GoldenCurves, AreOfModelsThatExist) {
  const auto names = model_names();
  for (const auto& [name, curve] : stored()) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end())
        << name << ": remove it from " << golden_file();
  }
}

} // namespace
} // namespace grapevine::model
