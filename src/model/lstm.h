// A recurrent language model (Zaremba, Sutskever, Vinyals 2014), with the
// parameters of PyTorch's word_language_model example:
//
//   x(t)   = drop(encoder[token t])
//   x(t)   = drop(LSTM_l(x(t), state_l(t - 1)))          for every layer l
//   logits = decoder.weight x(t) + decoder.bias
//   LSTM:    i, f, o = sigmoid(W x + U h + b), g = tanh(…)
//            c <- f c + i g,   h <- o tanh(c)
//
// tied: decoder.weight is encoder.weight, which is kept once. Dropout stands
// on what enters and leaves a layer, never on what a layer hands to itself.
//
// Back-propagation through time is truncated to the window: in training a pass
// begins from the state that the pass before left for the same rows, without
// its gradient, or from zeros where a stream begins. The states lie in the
// buffers state_h and state_c, [layers, batch, width]; with batch 0 there are
// none, and every window begins from zeros.
#pragma once

#include "model/zoo.h"

namespace grapevine::model {

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

// 2 layers of 200, as the example's default.
std::shared_ptr<Model> make_lstm_small(const ModelOptions& options);
// The same with one matrix for words in and out.
std::shared_ptr<Model> make_lstm_tied(const ModelOptions& options);
// 2 layers of 650, all parameters from +-0.05: the paper's medium network, to
// be trained with dropout 0.5.
std::shared_ptr<Model> make_lstm_large(const ModelOptions& options);

} // namespace grapevine::model
