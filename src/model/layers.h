// The layers of the zoo: those of torch::nn, but with parameters that hold
// nothing until model/initial.h fills them. (torch's own draw from its
// generator, which all threads share, as soon as they are made.)
#pragma once

#include <grapevine/dropout.h>
#include <torch/nn/modules/normalization.h>
#include <torch/types.h>

#include <cstdint>
#include <vector>

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

// Attention of several heads, as the transformers share it:
//
//   attend(q, k, v) = dropout(softmax(q k^T / sqrt(depth) + mask)) v
//
// Rows of a batch lie one behind the other, [samples * positions, width]; for
// attention each head of each sample has a matrix of its own,
// [samples * heads, positions, depth], depth = width / heads.

// Cuts x [samples * positions, parts * width], the results of `parts`
// projections side by side, into one [samples * heads, positions, depth] each.
std::vector<torch::Tensor> split_heads(
    const torch::Tensor& x,
    int64_t parts,
    int64_t samples,
    int64_t heads);

// The reverse, of one: [samples * heads, positions, depth] to
// [samples * positions, width].
torch::Tensor join_heads(const torch::Tensor& x, int64_t heads);

struct HeadDropout {
  double p = 0;
  ChanceAddress chance;
  uint64_t layer = 0;
};

// mask: what is added to the scores, of a shape that stretches to
// [samples * heads, positions of q, positions of k]; 0 or -inf.
torch::Tensor attend(
    const torch::Tensor& q,
    const torch::Tensor& k,
    const torch::Tensor& v,
    const torch::Tensor& mask,
    const HeadDropout& dropout = {});

// [1, positions, positions]: 0 up to the own position, -inf behind it. Of the
// type and device of `like`.
torch::Tensor causal_mask(int64_t positions, const torch::Tensor& like);

torch::nn::LayerNorm make_norm(int64_t width);

} // namespace grapevine::model
