// TorchScript files as models.
#include "base/error.h"
#include "model/zoo.h"

#include <gtest/gtest.h>
#include <torch/script.h>
#include <torch/torch.h>

#include <filesystem>
#include <fstream>

namespace grapevine::model {
namespace {

class ScriptFile {
 public:
  ScriptFile() {
    std::string name =
        (std::filesystem::temp_directory_path() / "gv-script-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~ScriptFile() { std::filesystem::remove_all(folder_); }
  std::string path() const { return (folder_ / "net.pt").string(); }

  // A linear layer in a module of its own, and dropout before it.
  void write(double dropout) const {
    torch::jit::Module inner("Inner");
    inner.register_parameter(
        "weight",
        torch::randn({10, 12}).requires_grad_(),
        false);
    torch::jit::Module net("Net");
    net.register_module("inner", inner);
    net.register_attribute("training", c10::BoolType::get(), true);
    net.register_buffer("shift", torch::ones({12}));
    net.define(
        "def forward(self, x):\n"
        "    x = torch.flatten(x, 1) + self.shift\n" +
        (dropout > 0 ? "    x = torch.dropout(x, " + std::to_string(dropout) +
                           ", self.training)\n"
                     : std::string()) +
        "    return torch.matmul(x, self.inner.weight.t())\n");
    net.save(path());
  }

 private:
  std::filesystem::path folder_;
};

ModelOptions options_for(const ScriptFile& file) {
  return {.name = file.path(), .sample_shape = {3, 2, 2}, .classes = 10};
}

TEST(ScriptModel, IsWhatTheFileSays) {
  const ScriptFile file;
  file.write(0);
  const auto model = make_model(options_for(file));
  ASSERT_EQ(model->named_parameters().size(), 1);
  EXPECT_EQ(model->named_parameters()[0].key(), "inner.weight");
  EXPECT_EQ(model->named_buffers()[0].key(), "shift");
  const auto x = torch::randn({5, 3, 2, 2});
  const auto weight = model->parameters()[0];
  EXPECT_TRUE(torch::equal(
      model->forward(x),
      torch::matmul(x.flatten(1) + 1, weight.t())));
}

// What is bound to a plane is what the script computes with.
TEST(ScriptModel, ReadsItsParametersThroughTheirTensors) {
  const ScriptFile file;
  file.write(0);
  const auto model = make_model(options_for(file));
  auto weight = model->parameters()[0];
  weight.set_data(torch::zeros({10, 12}));
  const auto logits = model->forward(torch::randn({2, 3, 2, 2}));
  EXPECT_EQ(logits.abs().sum().item<double>(), 0);
  logits.sum().backward();
  EXPECT_TRUE(weight.grad().defined());
}

TEST(ScriptModel, ItsChanceHasAnAddress) {
  const ScriptFile file;
  file.write(0.5);
  const auto model = make_model(options_for(file));
  const auto x = torch::randn({4, 3, 2, 2});
  const auto pass = [&](int64_t step) {
    model->set_pass({.chance = {.seed = 1, .rank = 2, .step = step}});
    return model->forward(x);
  };
  torch::manual_seed(3);
  const auto expected = torch::rand({3});
  torch::manual_seed(3);
  const auto first = pass(5);
  // The generator is as it was.
  EXPECT_TRUE(torch::equal(torch::rand({3}), expected));
  EXPECT_TRUE(torch::equal(pass(5), first));
  EXPECT_FALSE(torch::equal(pass(6), first));
  model->eval();
  EXPECT_TRUE(torch::equal(pass(5), pass(6)));
}

TEST(ScriptModel, RefusesWhatDoesNotFit) {
  const ScriptFile file;
  EXPECT_THROW(make_model(options_for(file)), ConfigError); // no file
  std::ofstream(file.path()) << "not a script";
  EXPECT_THROW(make_model(options_for(file)), ConfigError);
  file.write(0);
  ModelOptions options = options_for(file);
  options.classes = 11;
  EXPECT_THROW(make_model(options), ConfigError);
  options.classes = 10;
  options.sample_shape = {3, 2, 3};
  EXPECT_THROW(make_model(options), ConfigError);
}

} // namespace
} // namespace grapevine::model
