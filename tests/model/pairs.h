// A small transformer and rows of sentence pairs for tests.
#pragma once

#include "base/sentence_tokens.h"
#include "model/gradient_check.h"
#include "model/models.h"

#include <algorithm>
#include <vector>

namespace grapevine::model {

inline constexpr TransformerSize kSmallTransformer = {
    .layers = 2,
    .heads = 2,
    .width = 8,
    .inner = 12};

inline std::shared_ptr<Translator> small_transformer(
    int classes = 11,
    double dropout = 0) {
  auto model = make_transformer(
      {.name = "transformer-tiny",
       .sample_shape = {20},
       .classes = classes,
       .tokens = true,
       .pairs = true,
       .seed = 2,
       .dropout = dropout},
      kSmallTransformer);
  make_lively(*model);
  return model;
}

using Sentence = std::vector<int64_t>;
struct SentencePair {
  Sentence source;
  Sentence target;
};

// Rows as base/sentence_tokens.h lays them out, with `more` columns of padding
// on each side.
inline torch::Tensor rows_of(
    const std::vector<SentencePair>& pairs,
    int64_t more = 0) {
  size_t source = 0;
  size_t target = 0;
  for (const auto& pair : pairs) {
    source = std::max(source, pair.source.size() + 1 + more);
    target = std::max(target, pair.target.size() + 1 + more);
  }
  std::vector<torch::Tensor> rows;
  for (const auto& pair : pairs) {
    Sentence row = pair.source;
    row.push_back(kEos);
    row.resize(source, kPad);
    row.push_back(kBos);
    row.insert(row.end(), pair.target.begin(), pair.target.end());
    row.resize(source + target, kPad);
    rows.push_back(torch::tensor(row));
  }
  return torch::stack(rows);
}

inline std::vector<SentencePair> some_pairs() {
  return {
      {{3, 4, 5, 6}, {7, 8}},
      {{9}, {10, 3, 4, 5, 6}},
      {{5, 5, 7}, {}},
      {{}, {8, 9, 10}}};
}

} // namespace grapevine::model
