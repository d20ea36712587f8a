// The residual and the dense networks: names, initial values, and outputs and
// gradients against the same networks written down plainly.
#include "base/error.h"
#include "model/zoo.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <set>

namespace grapevine::model {
namespace {

namespace F = torch::nn::functional;
using Values = torch::OrderedDict<std::string, torch::Tensor>;

std::shared_ptr<Model> make(const std::string& name, int64_t side) {
  return make_model(
      {.name = name,
       .sample_shape = {3, side, side},
       .classes = 10,
       .seed = 1});
}

torch::Tensor images(int64_t batch, int64_t side) {
  const auto generator = at::detail::createCPUGenerator(7);
  return torch::randn({batch, 3, side, side}, generator, torch::kDouble);
}

std::set<std::string> names(const std::string& model) {
  std::set<std::string> found;
  for (const auto& item : make(model, 32)->named_parameters())
    found.insert(item.key());
  return found;
}

TEST(Vision, NamesAreThoseOfTorchvision) {
  const auto fifty = names("resnet50");
  EXPECT_EQ(fifty.size(), 161);
  for (const auto* name :
       {"conv1.weight",
        "layer1.0.downsample.0.weight",
        "layer1.0.downsample.1.bias",
        "layer3.5.conv3.weight",
        "layer4.2.bn3.weight",
        "fc.bias"}) {
    EXPECT_TRUE(fifty.contains(name)) << name;
  }
  EXPECT_FALSE(fifty.contains("layer3.5.downsample.0.weight"));
  const auto eighteen = names("resnet18");
  EXPECT_EQ(eighteen.size(), 62);
  EXPECT_EQ(eighteen, names("resnet18-imagenet"));
  EXPECT_FALSE(eighteen.contains("layer1.0.downsample.0.weight"));
  const auto dense = names("densenet100");
  for (const auto* name :
       {"features.conv0.weight",
        "features.denseblock3.denselayer16.norm2.weight",
        "features.denseblock1.denselayer1.conv2.weight",
        "features.transition2.conv.weight",
        "features.norm5.bias",
        "classifier.weight"}) {
    EXPECT_TRUE(dense.contains(name)) << name;
  }
  EXPECT_FALSE(dense.contains("features.transition3.conv.weight"));
  const auto plain = names("densenet100-plain");
  EXPECT_TRUE(plain.contains("features.denseblock2.denselayer32.conv1.weight"));
  EXPECT_FALSE(
      plain.contains("features.denseblock2.denselayer32.conv2.weight"));
}

double deviation(const torch::Tensor& tensor) {
  return tensor.detach().to(torch::kDouble).std(false).item<double>();
}

TEST(Vision, BeginsAsPublished) {
  const auto fifty = make("resnet50", 32)->named_parameters();
  EXPECT_NEAR(
      deviation(fifty["layer3.0.conv2.weight"]),
      std::sqrt(2.0 / (9 * 256)),
      1e-3);
  EXPECT_EQ(fifty["layer2.1.bn3.weight"].abs().max().item<float>(), 0);
  EXPECT_EQ(fifty["layer2.1.bn2.weight"].min().item<float>(), 1);
  EXPECT_EQ(fifty["layer2.0.downsample.1.weight"].min().item<float>(), 1);
  const auto eighteen = make("resnet18", 32)->named_parameters();
  EXPECT_EQ(eighteen["layer2.1.bn2.weight"].min().item<float>(), 1);
  const auto dense = make("densenet100-plain", 32)->named_parameters();
  const auto& weight = dense["features.denseblock3.denselayer9.conv1.weight"];
  EXPECT_NEAR(
      deviation(weight),
      std::sqrt(2.0 / static_cast<double>(9 * weight.size(1))),
      5e-4);
}

// A network written down again, without modules and channels-last: a walk
// over the model's own tensors by their names.
class Plain {
 public:
  explicit Plain(const Model& model) : values_(model.named_parameters()) {}

  torch::Tensor
  conv(const torch::Tensor& x, const std::string& name, int stride) const {
    const auto& weight = values_[name + ".weight"];
    return torch::conv2d(x, weight, {}, stride, (weight.size(2) - 1) / 2);
  }
  torch::Tensor norm(const torch::Tensor& x, const std::string& name) const {
    const auto mean = x.mean({0, 2, 3}, true);
    const auto variance = (x - mean).square().mean({0, 2, 3}, true);
    return (x - mean) / (variance + 1e-5).sqrt() *
               values_[name + ".weight"].view({1, -1, 1, 1}) +
           values_[name + ".bias"].view({1, -1, 1, 1});
  }
  torch::Tensor head(const torch::Tensor& x, const std::string& name) const {
    return torch::linear(
        x.mean({2, 3}),
        values_[name + ".weight"],
        values_[name + ".bias"]);
  }
  bool has(const std::string& name) const { return values_.contains(name); }

 private:
  Values values_;
};

torch::Tensor plain_block(
    const Plain& net,
    const torch::Tensor& x,
    const std::string& name,
    int stride) {
  const bool deep = net.has(name + "conv3.weight");
  auto y = net.conv(x, name + "conv1", deep ? 1 : stride);
  y = net.norm(y, name + "bn1").relu();
  y = net.norm(net.conv(y, name + "conv2", deep ? stride : 1), name + "bn2");
  if (deep) y = net.norm(net.conv(y.relu(), name + "conv3", 1), name + "bn3");
  auto shortcut = x;
  if (net.has(name + "downsample.0.weight")) {
    shortcut = net.conv(x, name + "downsample.0", stride);
    shortcut = net.norm(shortcut, name + "downsample.1");
  } else if (y.sizes() != x.sizes()) {
    shortcut = torch::zeros_like(y);
    shortcut.narrow(1, 0, x.size(1))
        .copy_(x.slice(2, 0, {}, 2).slice(3, 0, {}, 2));
  }
  return (y + shortcut).relu();
}

torch::Tensor
plain_resnet(const Model& model, const torch::Tensor& input, bool large) {
  const Plain net(model);
  auto x = net.norm(net.conv(input, "conv1", large ? 2 : 1), "bn1").relu();
  if (large) x = torch::max_pool2d(x, 3, 2, 1);
  for (int layer = 1; layer <= 4; ++layer) {
    for (int block = 0;; ++block) {
      const auto name =
          "layer" + std::to_string(layer) + "." + std::to_string(block) + ".";
      if (!net.has(name + "conv1.weight")) break;
      x = plain_block(net, x, name, layer > 1 && block == 0 ? 2 : 1);
    }
  }
  return net.head(x, "fc");
}

torch::Tensor plain_densenet(const Model& model, const torch::Tensor& input) {
  const Plain net(model);
  auto x = net.conv(input, "features.conv0", 1);
  for (int block = 1; block <= 3; ++block) {
    const auto number = std::to_string(block);
    for (int layer = 1;; ++layer) {
      const auto name = "features.denseblock" + number + ".denselayer" +
                        std::to_string(layer) + ".";
      if (!net.has(name + "conv1.weight")) break;
      auto y = net.conv(net.norm(x, name + "norm1").relu(), name + "conv1", 1);
      if (net.has(name + "conv2.weight")) {
        y = net.conv(net.norm(y, name + "norm2").relu(), name + "conv2", 1);
      }
      x = torch::cat({x, y}, 1);
    }
    if (block == 3) break;
    const auto name = "features.transition" + number + ".";
    x = net.conv(net.norm(x, name + "norm").relu(), name + "conv", 1);
    x = torch::avg_pool2d(x, 2);
  }
  return net.head(net.norm(x, "features.norm5").relu(), "classifier");
}

// Norms at their initial 1 and 0 (or 0 and 0) would hide mistakes.
void stir(Model& model) {
  const torch::NoGradGuard no_grad;
  const auto generator = at::detail::createCPUGenerator(3);
  for (auto& item : model.named_parameters()) {
    if (item.value().dim() != 1) continue;
    item.value().add_(
        0.3 * torch::rand(item.value().sizes(), generator, torch::kDouble));
  }
}

std::vector<torch::Tensor> gradients(
    Model& model,
    const torch::Tensor& logits) {
  const auto labels = torch::arange(logits.size(0), torch::kLong);
  return torch::autograd::grad(
      {F::cross_entropy(logits, labels)},
      model.parameters());
}

class Networks : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(
    Vision,
    Networks,
    testing::Values(
        "resnet8",
        "resnet20",
        "resnet32",
        "resnet56",
        "resnet18",
        "resnet18-imagenet",
        "resnet50",
        "densenet100",
        "densenet100-plain"),
    [](const auto& info) {
      std::string name = info.param;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

// In double, so that nothing but the formula can differ.
TEST_P(Networks, AreWhatTheyAreWrittenDownAs) {
  const bool large =
      GetParam() == "resnet18-imagenet" || GetParam() == "resnet50";
  const int64_t side = large ? 36 : 12;
  const auto model = make(GetParam(), side);
  model->to(torch::kDouble);
  stir(*model);
  const auto input = images(3, side);
  const auto ours = model->forward(input);
  const auto plain = GetParam().starts_with("dense")
                         ? plain_densenet(*model, input)
                         : plain_resnet(*model, input, large);
  EXPECT_TRUE(torch::allclose(ours, plain, 1e-9, 1e-9));
  const auto expected = gradients(*model, plain);
  const auto found = gradients(*model, ours);
  const auto items = model->named_parameters();
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(torch::allclose(found[i], expected[i], 1e-7, 1e-9))
        << items[i].key();
  }
}

} // namespace
} // namespace grapevine::model
