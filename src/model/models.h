// The makers of the zoo's models, one family per file; each file begins with
// its definition. Their rows are in model/zoo.cpp.
#pragma once

#include "model/translator.h"
#include "model/zoo.h"

#include <memory>

namespace grapevine::model {

std::shared_ptr<Model> make_mlp(const ModelOptions& options);

std::shared_ptr<Model> make_cnn(const ModelOptions& options);

// options.name is the name of one in the table; the file says which there are.
std::shared_ptr<Model> make_resnet(const ModelOptions& options);
std::shared_ptr<Model> make_densenet(const ModelOptions& options);

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

struct LstmSize {
  int layers;
  int width; // of the embedding, too
  bool tied;
  double initial; // weights, biases and embeddings uniform in +-initial; 0:
                  // embeddings +-0.1, layers +-1 / sqrt(width), as PyTorch's
};

// Takes tokens [B, T] and gives logits [B * T, classes].
std::shared_ptr<Model> make_lstm(
    const ModelOptions& options,
    const LstmSize& size);

// As the example's default; tied, with one matrix for words in and out; and the
// paper's medium network, to be trained with dropout 0.5.
inline constexpr LstmSize kLstmSmall = {2, 200, false, 0};
inline constexpr LstmSize kLstmTied = {2, 200, true, 0};
inline constexpr LstmSize kLstmLarge = {2, 650, false, 0.05};

struct TransformerSize {
  int layers; // of the encoder, and of the decoder
  int heads;  // divides the width
  int width;  // even
  int inner;  // of linear1
};

std::shared_ptr<Translator> make_transformer(
    const ModelOptions& options,
    const TransformerSize& size);

// For tens of thousands of pairs.
inline constexpr TransformerSize kTransformerTiny = {3, 4, 256, 1024};

} // namespace grapevine::model
