// Models of sentence pairs, and how a translation is made word by word.
#pragma once

#include "model/zoo.h"

#include <cstdint>
#include <memory>

namespace grapevine::model {

// Translations in the making: rows, each the beginning of a translation of one
// source. At first there is a row for every source, in order, with nothing in
// it but bos. One thread; the model must live longer, in evaluation, with the
// parameters that it had.
class Translation {
 public:
  virtual ~Translation() = default;

  // Puts tokens [rows] (bos at first) behind the rows, and gives the logits of
  // what may follow, [rows, classes]. Costs O(length so far) a row.
  virtual torch::Tensor step(const torch::Tensor& tokens) = 0;
  // From now on row i is a copy of what row rows[i] was. rows [new rows].
  virtual void keep(const torch::Tensor& rows) = 0;
};

class Translator : public Model {
 public:
  using Model::Model;
  // sources [B, S]: tokens, eos, pad …. Any number of threads. Without
  // gradients.
  virtual std::unique_ptr<Translation> begin(const torch::Tensor& sources) = 0;
};

} // namespace grapevine::model
