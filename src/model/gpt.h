// A decoder-only transformer with the norms before the layers (Radford et al.
// 2019, "GPT-2"):
//
//   x      = wte[token] + wpe[position]
//   block:   x <- x + attn.c_proj(attention(attn.c_attn(ln_1(x))))
//            x <- x + mlp.c_proj(gelu(mlp.c_fc(ln_2(x))))
//   logits = ln_f(x) wte^T                          (tied embeddings)
//
// attention: softmax(q k^T / sqrt(width / heads)) v in every head, over the
// positions up to its own; c_attn gives q, k and v in one product; c_fc has
// four times the width; gelu in its tanh form. Dropout, where there is any, on
// the embedding, on the attention's weights and on what is added to x.
//
// Initial values as published: weights normal with sd 0.02, those of both
// c_proj with 0.02 / sqrt(2 layers), since so many terms are added up; biases
// 0, norms 1 and 0.
#pragma once

#include "model/zoo.h"

namespace grapevine::model {

struct GptSize {
  int layers;
  int heads; // divides the width
  int width;
};

// sample_shape is {context}: positions that it can see. Takes tokens [B, T],
// T <= context, and gives logits [B * T, classes].
std::shared_ptr<Model> make_gpt(
    const ModelOptions& options,
    const GptSize& size);

// The published small one: 12 layers, 12 heads, width 768.
std::shared_ptr<Model> make_gpt2_small(const ModelOptions& options);

// 2 layers, 2 heads, width 32: for experiments with many workers and steps.
std::shared_ptr<Model> make_gpt_nano(const ModelOptions& options);

// 2 layers, 4 heads, width 128.
std::shared_ptr<Model> make_gpt_mini(const ModelOptions& options);

} // namespace grapevine::model
