// ResNet20 on CIFAR-10 as one writes it in plain libtorch, without anything of
// Grapevine: what recipes/resnet20-cifar10-small.toml is compared with.
//
//   plain_resnet20 FOLDER EPOCHS [SEED]
//
// FOLDER holds the binary batches. Batch 128, learning rate 0.1, a tenth of it
// after half and three quarters of the steps, momentum 0.9, decay 1e-4 of all
// parameters, crops out of 4 pixels of padding, flips. Writes the training loss
// of every epoch and the test accuracy behind the last.
#include <torch/torch.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <random>
#include <string>

namespace {

namespace nn = torch::nn;
using torch::indexing::Slice;

constexpr int64_t kBatch = 128;
constexpr int64_t kPadding = 4;

struct BlockImpl : nn::Module {
  BlockImpl(int64_t in, int64_t out, int64_t stride)
      : added(out - in),
        conv1(nn::Conv2dOptions(in, out, 3)
                  .stride(stride)
                  .padding(1)
                  .bias(false)),
        conv2(nn::Conv2dOptions(out, out, 3).padding(1).bias(false)),
        bn1(out),
        bn2(out) {
    register_module("conv1", conv1);
    register_module("bn1", bn1);
    register_module("conv2", conv2);
    register_module("bn2", bn2);
  }
  torch::Tensor forward(torch::Tensor x) {
    auto y = torch::relu(bn1(conv1(x)));
    y = bn2(conv2(y));
    if (added > 0) {
      x = x.index({Slice(), Slice(), Slice(0, {}, 2), Slice(0, {}, 2)});
      x = torch::constant_pad_nd(x, {0, 0, 0, 0, 0, added});
    }
    return torch::relu(x + y);
  }
  int64_t added;
  nn::Conv2d conv1, conv2;
  nn::BatchNorm2d bn1, bn2;
};
TORCH_MODULE(Block);

nn::Sequential resnet20() {
  nn::Sequential net(
      nn::Conv2d(nn::Conv2dOptions(3, 16, 3).padding(1).bias(false)),
      nn::BatchNorm2d(16),
      nn::ReLU());
  int64_t in = 16;
  for (const int64_t width : {16, 32, 64}) {
    for (int block = 0; block < 3; ++block) {
      net->push_back(Block(in, width, in == width ? 1 : 2));
      in = width;
    }
  }
  net->push_back(nn::AdaptiveAvgPool2d(nn::AdaptiveAvgPool2dOptions(1)));
  net->push_back(nn::Flatten());
  net->push_back(nn::Linear(64, 10));
  const torch::NoGradGuard no_grad;
  for (auto& parameter : net->parameters()) {
    if (parameter.dim() == 4)
      nn::init::kaiming_normal_(parameter, 0, torch::kFanOut, torch::kReLU);
  }
  return net;
}

struct Set {
  torch::Tensor images; // normalised, [N, 3, 32, 32]
  torch::Tensor labels;
};

Set read(const std::string& folder, const std::vector<std::string>& files) {
  std::vector<torch::Tensor> records;
  for (const auto& file : files) {
    std::ifstream in(folder + "/" + file, std::ios::binary);
    auto bytes = torch::empty({10000, 3073}, torch::kUInt8);
    in.read(static_cast<char*>(bytes.data_ptr()), bytes.numel());
    if (in.gcount() != bytes.numel())
      throw std::runtime_error("cannot read " + folder + "/" + file);
    records.push_back(bytes);
  }
  const auto all = torch::cat(records);
  const auto mean = torch::tensor({0.4914, 0.4822, 0.4465}).view({1, 3, 1, 1});
  const auto sd = torch::tensor({0.2470, 0.2435, 0.2616}).view({1, 3, 1, 1});
  auto images = all.narrow(1, 1, 3072).to(torch::kFloat).view({-1, 3, 32, 32});
  return {
      (images / 255 - mean) / sd,
      all.select(1, 0).to(torch::kLong).contiguous()};
}

torch::Tensor augmented(const torch::Tensor& images, std::mt19937_64& random) {
  const auto padded =
      torch::constant_pad_nd(images, {kPadding, kPadding, kPadding, kPadding});
  auto result = torch::empty_like(images);
  std::uniform_int_distribution<int64_t> shift(0, 2 * kPadding);
  for (int64_t i = 0; i < images.size(0); ++i) {
    auto image =
        padded[i].narrow(1, shift(random), 32).narrow(2, shift(random), 32);
    result[i] = random() % 2 == 1 ? image.flip(2) : image;
  }
  return result;
}

double accuracy(nn::Sequential& net, const Set& test) {
  const torch::NoGradGuard no_grad;
  net->eval();
  int64_t right = 0;
  for (int64_t i = 0; i < test.labels.size(0); i += 500) {
    const auto logits = net->forward(test.images.narrow(0, i, 500));
    right += logits.argmax(1)
                 .eq(test.labels.narrow(0, i, 500))
                 .sum()
                 .item<int64_t>();
  }
  net->train();
  return static_cast<double>(right) / static_cast<double>(test.labels.size(0));
}

void train(const std::string& folder, int64_t epochs, uint64_t seed) {
  torch::manual_seed(seed);
  std::mt19937_64 random(seed);
  const Set data = read(
      folder,
      {"data_batch_1.bin",
       "data_batch_2.bin",
       "data_batch_3.bin",
       "data_batch_4.bin",
       "data_batch_5.bin"});
  const Set test = read(folder, {"test_batch.bin"});
  auto net = resnet20();
  torch::optim::SGD optimizer(
      net->parameters(),
      torch::optim::SGDOptions(0.1).momentum(0.9).weight_decay(1e-4));
  const auto start = std::chrono::steady_clock::now();
  const int64_t steps = data.labels.size(0) / kBatch;
  for (int64_t epoch = 0; epoch < epochs; ++epoch) {
    const auto order = torch::randperm(data.labels.size(0), torch::kLong);
    double loss_sum = 0;
    for (int64_t step = 0; step < steps; ++step) {
      const int64_t done = epoch * steps + step;
      double lr = 0.1;
      if (2 * done >= epochs * steps) lr *= 0.1;
      if (4 * done >= 3 * epochs * steps) lr *= 0.1;
      auto& group = optimizer.param_groups()[0];
      static_cast<torch::optim::SGDOptions&>(group.options()).lr(lr);
      const auto chosen = order.narrow(0, step * kBatch, kBatch);
      const auto images =
          augmented(data.images.index_select(0, chosen), random);
      optimizer.zero_grad();
      auto loss = nn::functional::cross_entropy(
          net->forward(images),
          data.labels.index_select(0, chosen));
      loss.backward();
      optimizer.step();
      loss_sum += loss.item<double>();
    }
    const std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - start;
    std::cout << "epoch " << epoch + 1 << " loss "
              << loss_sum / static_cast<double>(steps) << " seconds "
              << seconds.count() << std::endl;
  }
  std::cout << "test accuracy " << accuracy(net, test) << std::endl;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::cerr << "usage: plain_resnet20 FOLDER EPOCHS [SEED]\n";
    return 2;
  }
  at::set_num_threads(1);
  train(argv[1], std::stoll(argv[2]), argc == 4 ? std::stoull(argv[3]) : 1);
  return 0;
}
