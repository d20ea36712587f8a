// The layers of model/transformer.cpp, under the names of PyTorch's
// nn.TransformerEncoderLayer and nn.TransformerDecoderLayer:
//
//   encoder: x <- norm1(x + drop(self_attn(x)))
//            x <- norm2(x + drop(linear2(relu(linear1(x)))))
//   decoder: x <- norm1(x + drop(self_attn(x)))
//            x <- norm2(x + drop(multihead_attn(x, memory)))
//            x <- norm3(x + drop(linear2(relu(linear1(x)))))
//
// Activations are rows, [samples * positions, width].
#pragma once

#include "model/layers.h"
#include "model/models.h"

#include <grapevine/dropout.h>
#include <torch/nn/modules/normalization.h>

#include <cstdint>

namespace grapevine::model {

// The dropouts of one forward pass, numbered as they come.
class Dropper {
 public:
  // p: 0 in evaluation.
  Dropper(double p, const ChanceAddress& chance) : p_(p), chance_(chance) {}
  torch::Tensor operator()(const torch::Tensor& x) {
    return dropout(x, p_, chance_, layer_++);
  }

 private:
  double p_;
  ChanceAddress chance_;
  uint64_t layer_ = 0;
};

// What attention looks at, [samples * heads, positions, depth] each.
struct KeysAndValues {
  torch::Tensor keys;
  torch::Tensor values;
};

// in_proj_weight [3 width, width], in_proj_bias, out_proj.
class MultiheadAttentionImpl : public torch::nn::Module {
 public:
  explicit MultiheadAttentionImpl(const TransformerSize& size);

  // Of x on itself.
  torch::Tensor
  self(const torch::Tensor& x, int64_t samples, const torch::Tensor& mask);
  // Of x on `seen` and, from then on, itself: x has one position a sample, and
  // its key and value are put behind those that are there (none at first).
  torch::Tensor next(const torch::Tensor& x, KeysAndValues& seen);
  // Of x on something else.
  torch::Tensor on(
      const torch::Tensor& x,
      int64_t samples,
      const KeysAndValues& memory,
      const torch::Tensor& mask);
  KeysAndValues look_at(const torch::Tensor& memory, int64_t samples);

  torch::Tensor in_proj_weight;
  torch::Tensor in_proj_bias;

 private:
  torch::Tensor finish(const torch::Tensor& attended);

  int64_t heads_;
  int64_t width_;
  Linear out_proj_;
};
TORCH_MODULE(MultiheadAttention);

class EncoderLayerImpl : public torch::nn::Module {
 public:
  explicit EncoderLayerImpl(const TransformerSize& size);
  torch::Tensor forward(
      const torch::Tensor& x,
      int64_t samples,
      const torch::Tensor& mask,
      Dropper& drop);

 private:
  MultiheadAttention self_attn_;
  Linear linear1_;
  Linear linear2_;
  torch::nn::LayerNorm norm1_;
  torch::nn::LayerNorm norm2_;
};
TORCH_MODULE(EncoderLayer);

// Masks of a decoder layer, as model/layers.h wants them.
struct DecoderMasks {
  torch::Tensor own;    // of the target on itself
  torch::Tensor source; // of the target on the source
};

class DecoderLayerImpl : public torch::nn::Module {
 public:
  explicit DecoderLayerImpl(const TransformerSize& size);
  // All positions at once; memory [samples * source positions, width].
  torch::Tensor forward(
      const torch::Tensor& x,
      const torch::Tensor& memory,
      int64_t samples,
      const DecoderMasks& masks,
      Dropper& drop);
  // One more position: x [samples, width]. No dropout.
  torch::Tensor step(
      const torch::Tensor& x,
      KeysAndValues& seen,
      const KeysAndValues& memory,
      const torch::Tensor& source_mask);
  KeysAndValues look_at(const torch::Tensor& memory, int64_t samples) {
    return multihead_attn_->look_at(memory, samples);
  }

 private:
  torch::Tensor think(const torch::Tensor& x);

  MultiheadAttention self_attn_;
  MultiheadAttention multihead_attn_;
  Linear linear1_;
  Linear linear2_;
  torch::nn::LayerNorm norm1_;
  torch::nn::LayerNorm norm2_;
  torch::nn::LayerNorm norm3_;
};
TORCH_MODULE(DecoderLayer);

} // namespace grapevine::model
