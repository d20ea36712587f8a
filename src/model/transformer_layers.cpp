#include "model/transformer_layers.h"

#include <torch/torch.h>

namespace grapevine::model {
MultiheadAttentionImpl::MultiheadAttentionImpl(const TransformerSize& size)
    : heads_(size.heads),
      width_(size.width),
      out_proj_(register_module("out_proj", Linear(size.width, size.width))) {
  in_proj_weight =
      register_parameter("in_proj_weight", torch::empty({3 * width_, width_}));
  in_proj_bias = register_parameter("in_proj_bias", torch::empty({3 * width_}));
}

torch::Tensor MultiheadAttentionImpl::finish(const torch::Tensor& attended) {
  return out_proj_->forward(join_heads(attended, heads_));
}

torch::Tensor MultiheadAttentionImpl::self(
    const torch::Tensor& x,
    int64_t samples,
    const torch::Tensor& mask) {
  const auto projected = torch::linear(x, in_proj_weight, in_proj_bias);
  const auto qkv = split_heads(projected, 3, samples, heads_);
  return finish(attend(qkv[0], qkv[1], qkv[2], mask));
}

torch::Tensor MultiheadAttentionImpl::next(
    const torch::Tensor& x,
    KeysAndValues& seen) {
  const auto projected = torch::linear(x, in_proj_weight, in_proj_bias);
  const auto qkv = split_heads(projected, 3, x.size(0), heads_);
  if (seen.keys.defined()) {
    seen.keys = torch::cat({seen.keys, qkv[1]}, 1);
    seen.values = torch::cat({seen.values, qkv[2]}, 1);
  } else {
    seen = {qkv[1], qkv[2]};
  }
  const auto nothing_hidden = torch::zeros({1, 1, 1}, x.options());
  return finish(attend(qkv[0], seen.keys, seen.values, nothing_hidden));
}

torch::Tensor MultiheadAttentionImpl::on(
    const torch::Tensor& x,
    int64_t samples,
    const KeysAndValues& memory,
    const torch::Tensor& mask) {
  const auto projected = torch::linear(
      x,
      in_proj_weight.narrow(0, 0, width_),
      in_proj_bias.narrow(0, 0, width_));
  const auto q = split_heads(projected, 1, samples, heads_);
  return finish(attend(q[0], memory.keys, memory.values, mask));
}

KeysAndValues MultiheadAttentionImpl::look_at(
    const torch::Tensor& memory,
    int64_t samples) {
  const auto projected = torch::linear(
      memory,
      in_proj_weight.narrow(0, width_, 2 * width_),
      in_proj_bias.narrow(0, width_, 2 * width_));
  const auto kv = split_heads(projected, 2, samples, heads_);
  return {kv[0], kv[1]};
}

EncoderLayerImpl::EncoderLayerImpl(const TransformerSize& size)
    : self_attn_(register_module("self_attn", MultiheadAttention(size))),
      linear1_(register_module("linear1", Linear(size.width, size.inner))),
      linear2_(register_module("linear2", Linear(size.inner, size.width))),
      norm1_(register_module("norm1", make_norm(size.width))),
      norm2_(register_module("norm2", make_norm(size.width))) {}

torch::Tensor EncoderLayerImpl::forward(
    const torch::Tensor& x,
    int64_t samples,
    const torch::Tensor& mask,
    Dropper& drop) {
  const auto y = norm1_->forward(x + drop(self_attn_->self(x, samples, mask)));
  const auto thought = linear2_->forward(linear1_->forward(y).relu_());
  return norm2_->forward(y + drop(thought));
}

DecoderLayerImpl::DecoderLayerImpl(const TransformerSize& size)
    : self_attn_(register_module("self_attn", MultiheadAttention(size))),
      multihead_attn_(
          register_module("multihead_attn", MultiheadAttention(size))),
      linear1_(register_module("linear1", Linear(size.width, size.inner))),
      linear2_(register_module("linear2", Linear(size.inner, size.width))),
      norm1_(register_module("norm1", make_norm(size.width))),
      norm2_(register_module("norm2", make_norm(size.width))),
      norm3_(register_module("norm3", make_norm(size.width))) {}

torch::Tensor DecoderLayerImpl::think(const torch::Tensor& x) {
  return linear2_->forward(linear1_->forward(x).relu_());
}

torch::Tensor DecoderLayerImpl::forward(
    const torch::Tensor& x,
    const torch::Tensor& memory,
    int64_t samples,
    const DecoderMasks& masks,
    Dropper& drop) {
  auto y = norm1_->forward(x + drop(self_attn_->self(x, samples, masks.own)));
  const auto seen =
      multihead_attn_->on(y, samples, look_at(memory, samples), masks.source);
  y = norm2_->forward(y + drop(seen));
  return norm3_->forward(y + drop(think(y)));
}

torch::Tensor DecoderLayerImpl::step(
    const torch::Tensor& x,
    KeysAndValues& seen,
    const KeysAndValues& memory,
    const torch::Tensor& source_mask) {
  auto y = norm1_->forward(x + self_attn_->next(x, seen));
  y = norm2_->forward(
      y + multihead_attn_->on(y, x.size(0), memory, source_mask));
  return norm3_->forward(y + think(y));
}

} // namespace grapevine::model
