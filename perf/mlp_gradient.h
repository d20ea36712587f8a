// What an iteration of training an MLP costs a worker, either really or as
// timed sleeps of the same length: where the network is the question, two
// cores cannot compute for four hosts.
#pragma once

#include "base/random.h"
#include "mix/gradient_listener.h"
#include "tensor/arena.h"
#include "tensor/bind/bind.h"
#include "tensor/bind/gradient_hooks.h"

#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace grapevine::perf {

using Widths = std::vector<int64_t>; // of the input, the layers, the output

struct ComputeOptions {
  Widths widths;
  int64_t batch = 32;
  int state_planes = 0;
  bool sleeps = false; // instead of computing
  // Sleeps only. The whole backward; a layer takes its share by its size.
  double forward_ms = 0;
  double backward_ms = 0;
  // In a random share of its steps a worker sleeps so many times as long; or
  // one worker in all of its own.
  double slow_share = 0;
  int slow_rank = -1;
  double slow_factor = 1;
  int rank = 0;
};

// One worker's replica and its gradient.
class MlpGradient {
 public:
  virtual ~MlpGradient() = default;
  virtual tensor::Arena& arena() = 0;
  // Forward and backward; the listener may be null.
  virtual void compute(int64_t step, mix::GradientListener* listener) = 0;

  // Of the last call, without what the listener did.
  double forward_seconds() const { return forward_seconds_; }
  double backward_seconds() const { return backward_seconds_; }

 protected:
  using Clock = std::chrono::steady_clock;
  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  double forward_seconds_ = 0;
  double backward_seconds_ = 0;
};

// Forward, then layer by layer from the last to the first: sleep, and its
// gradient (which nobody computes) is final.
class SleepingGradient : public MlpGradient {
 public:
  explicit SleepingGradient(const ComputeOptions& options) : options_(options) {
    std::vector<tensor::TensorEntry> tensors;
    for (size_t i = 0; i + 1 < options.widths.size(); ++i) {
      const int64_t in = options.widths[i];
      const int64_t out = options.widths[i + 1];
      tensors.push_back(
          {.name = std::to_string(i) + ".weight", .shape = {out, in}});
      tensors.push_back({.name = std::to_string(i) + ".bias", .shape = {out}});
      shares_.push_back(static_cast<double>(in * out));
    }
    const double sum = std::accumulate(shares_.begin(), shares_.end(), 0.0);
    for (double& share : shares_)
      share /= sum;
    arena_ = std::make_unique<tensor::Arena>(
        std::make_shared<tensor::Layout>(std::move(tensors)),
        std::make_shared<tensor::Layout>(),
        options.state_planes);
    // As trained ones are, so that packing finds what it would find there: the
    // same parameters for all, gradients of each worker's own.
    fill(arena_->parameters(), 0);
    fill(arena_->gradients(), static_cast<uint64_t>(options.rank + 1));
  }

  tensor::Arena& arena() override { return *arena_; }

  void compute(int64_t step, mix::GradientListener* listener) override {
    const double factor = factor_at(step);
    forward_seconds_ = sleep(options_.forward_ms * factor);
    backward_seconds_ = 0;
    for (int layer = static_cast<int>(shares_.size()) - 1; layer >= 0;
         --layer) {
      backward_seconds_ +=
          sleep(options_.backward_ms * factor * shares_[layer]);
      if (listener == nullptr) continue;
      listener->tensor_ready(2 * layer + 1);
      listener->tensor_ready(2 * layer);
    }
  }

 private:
  static void fill(std::span<float> plane, uint64_t stream) {
    Random random(1, Purpose::kInit, stream);
    for (float& value : plane)
      value = static_cast<float>(0.03 * random.normal());
  }
  static double sleep(double ms) {
    const auto start = Clock::now();
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms));
    return seconds_since(start);
  }
  double factor_at(int64_t step) const {
    if (options_.rank == options_.slow_rank) return options_.slow_factor;
    Random random(
        1,
        Purpose::kCompute,
        static_cast<uint64_t>(options_.rank),
        static_cast<uint64_t>(step));
    return random.uniform() < options_.slow_share ? options_.slow_factor : 1;
  }

  ComputeOptions options_;
  std::vector<double> shares_; // of each layer in backward
  std::unique_ptr<tensor::Arena> arena_;
};

// torch's own Linear and ReLU on a fixed batch of chance.
class RealGradient : public MlpGradient {
 public:
  explicit RealGradient(const ComputeOptions& options) {
    torch::manual_seed(1);
    const size_t layers = options.widths.size() - 1;
    for (size_t i = 0; i < layers; ++i) {
      model_->push_back(
          torch::nn::Linear(options.widths[i], options.widths[i + 1]));
      if (i + 1 < layers) model_->push_back(torch::nn::ReLU());
    }
    arena_ = std::make_unique<tensor::Arena>(
        std::make_shared<tensor::Layout>(tensor::parameter_layout(*model_)),
        std::make_shared<tensor::Layout>(tensor::buffer_layout(*model_)),
        options.state_planes);
    tensor::bind_module(*model_, *arena_);
    hooks_ = std::make_unique<tensor::GradientHooks>(
        *model_,
        [this](int tensor) { tell(tensor); });
    torch::manual_seed(static_cast<uint64_t>(options.rank) + 2);
    inputs_ = torch::randn({options.batch, options.widths.front()});
    labels_ =
        torch::randint(options.widths.back(), {options.batch}, torch::kInt64);
  }

  tensor::Arena& arena() override { return *arena_; }

  void compute(int64_t, mix::GradientListener* listener) override {
    const auto start = Clock::now();
    arena_->clear_gradients();
    const auto loss =
        torch::nn::functional::cross_entropy(model_->forward(inputs_), labels_);
    forward_seconds_ = seconds_since(start);
    const auto middle = Clock::now();
    listener_ = listener;
    listener_seconds_ = 0;
    loss.backward();
    backward_seconds_ = seconds_since(middle) - listener_seconds_;
  }

 private:
  void tell(int tensor) {
    if (listener_ == nullptr) return;
    const auto start = Clock::now();
    listener_->tensor_ready(tensor);
    listener_seconds_ += seconds_since(start);
  }

  torch::nn::Sequential model_;
  std::unique_ptr<tensor::Arena> arena_;
  std::unique_ptr<tensor::GradientHooks> hooks_;
  torch::Tensor inputs_;
  torch::Tensor labels_;
  mix::GradientListener* listener_ = nullptr;
  double listener_seconds_ = 0;
};

} // namespace grapevine::perf
