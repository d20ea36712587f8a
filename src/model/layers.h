// The layers of the zoo: those of torch::nn, but with parameters that hold
// nothing until model/initial.h fills them. (torch's own draw from its
// generator, which all threads share, as soon as they are made.)
#pragma once

#include <torch/nn/module.h>

#include <cstdint>

namespace grapevine::model {

// y = x W^T + b; weight [out, in], bias [out].
class LinearImpl : public torch::nn::Module {
 public:
  LinearImpl(int64_t in, int64_t out);
  torch::Tensor forward(const torch::Tensor& input);

  torch::Tensor weight;
  torch::Tensor bias;
};
TORCH_MODULE(Linear);

struct ConvOptions {
  int64_t in;
  int64_t out;
  int64_t kernel = 3; // odd
  int64_t stride = 1;
  bool bias = false; // a batch norm behind it has its own
};

// kernel x kernel, zero-padded by (kernel - 1) / 2 so that only the stride
// makes images smaller; weight [out, in, kernel, kernel].
class ConvImpl : public torch::nn::Module {
 public:
  explicit ConvImpl(const ConvOptions& options);
  torch::Tensor forward(const torch::Tensor& input);

  torch::Tensor weight;
  torch::Tensor bias; // undefined without one

 private:
  int64_t stride_;
};
TORCH_MODULE(Conv);

// A vector for each of `rows` things: weight [rows, width].
class TableImpl : public torch::nn::Module {
 public:
  TableImpl(int64_t rows, int64_t width);

  torch::Tensor weight;
};
TORCH_MODULE(Table);

} // namespace grapevine::model
