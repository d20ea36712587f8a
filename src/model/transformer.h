// The transformer (Vaswani et al. 2017), encoder and decoder with the norms
// behind the layers:
//
//   embed(t) = sqrt(width) embedding[token t] + position(t)
//   memory   = encoder layers (embed(source))
//   logits   = decoder layers (embed(target), memory) embedding^T
//   position(t)[2 i]     = sin(t / 10000^(2 i / width))
//   position(t)[2 i + 1] = cos(t / 10000^(2 i / width))
//
// One embedding for source, target and output. The layers are those of
// model/transformer_layers.h; dropout as in the paper: on the embeddings and
// on what each sub-layer adds.
//
// Initial values: weights Xavier-uniform, +-sqrt(6 / (rows + columns)) of the
// tensor as it is stored; embedding normal with sd 1 / sqrt(width), so that
// what enters the first layer has sd 1; biases 0, norms 1 and 0.
//
// Takes rows of sentence pairs as base/sentence_tokens.h lays them out,
// [B, S + T], and gives logits [B * T, classes]; padding of the source is not
// looked at.
#pragma once

#include "model/transformer_layers.h"
#include "model/translator.h"

namespace grapevine::model {

std::shared_ptr<Translator> make_transformer(
    const ModelOptions& options,
    const TransformerSize& size);

// The paper's base model: 6 layers, 8 heads, width 512, inner 2048.
std::shared_ptr<Model> make_transformer_base(const ModelOptions& options);

// The paper's big model: 6 layers, 16 heads, width 1024, inner 4096.
std::shared_ptr<Model> make_transformer_big(const ModelOptions& options);

// 3 layers, 4 heads, width 256, inner 1024: for tens of thousands of pairs.
std::shared_ptr<Model> make_transformer_tiny(const ModelOptions& options);

} // namespace grapevine::model
