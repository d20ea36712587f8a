#include "model/text_models.h"

#include "model/gpt.h"
#include "model/lstm.h"
#include "model/transformer.h"

#include <string>

namespace grapevine::model {
namespace {

ModelEntry gpt(std::string name, std::string summary) {
  return {
      .name = std::move(name),
      .task = "language model",
      .summary = std::move(summary),
      .sample_shape = {64}, // the sizes are those of tiny-shakespeare
      .classes = 65,
      .tokens = true,
      .has_dropout = true};
}

ModelEntry gpt2(std::string name, std::string summary) {
  ModelEntry entry = gpt(std::move(name), std::move(summary));
  entry.sample_shape = {1024};
  entry.classes = 50257;
  return entry;
}

ModelEntry lstm(std::string name, std::string summary) {
  return {
      .name = std::move(name),
      .task = "language model",
      .summary = std::move(summary),
      .sample_shape = {35}, // the sizes are those of WikiText-2
      .classes = 33278,
      .tokens = true,
      .has_dropout = true,
      .carries_state = true};
}

ModelEntry transformer(std::string name, std::string summary, int classes) {
  return {
      .name = std::move(name),
      .task = "translation",
      .summary = std::move(summary),
      .sample_shape = {202},
      .classes = classes,
      .tokens = true,
      .pairs = true,
      .has_dropout = true};
}

} // namespace

std::vector<TextModel> text_models() {
  constexpr int kPaper = 37000; // tokens of the transformer's paper
  constexpr int kSmall = 8195;  // 8192 byte pairs; pad, bos and eos
  return {
      {gpt("gpt-nano", "decoder-only transformer, 2 layers, 2 heads, width 32"),
       make_gpt_nano},
      {gpt("gpt-mini",
           "decoder-only transformer, 2 layers, 4 heads, width 128"),
       make_gpt_mini},
      {gpt2(
           "gpt2-small",
           "GPT-2 small as published: 12 layers, 12 heads, width 768"),
       make_gpt2_small},
      {lstm("lstm", "recurrent, 2 layers of 200, state carried along the text"),
       make_lstm_small},
      {lstm("lstm-tied", "the same with one matrix for words in and out"),
       make_lstm_tied},
      {lstm("lstm-large", "recurrent, 2 layers of 650, for dropout 0.5"),
       make_lstm_large},
      {transformer(
           "transformer-tiny",
           "encoder-decoder, 3 layers each, 4 heads, width 256",
           kSmall),
       make_transformer_tiny},
      {transformer(
           "transformer-base",
           "encoder-decoder, 6 layers each, 8 heads, width 512",
           kPaper),
       make_transformer_base},
      {transformer(
           "transformer-big",
           "encoder-decoder, 6 layers each, 16 heads, width 1024",
           kPaper),
       make_transformer_big}};
}

} // namespace grapevine::model
