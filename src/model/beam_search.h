// Translations by beam search. A hypothesis y of length n, eos included, has
// the score (Wu et al. 2016)
//
//   log p(y | source) / lp(n),   lp(n) = ((5 + n) / 6)^length_penalty
//
// From all one-word continuations of a sentence's k live hypotheses the k
// likeliest are taken; those that end in eos are finished, and from then on
// there is one live hypothesis less. A sentence is done when none is live,
// when no live one can get a better score than the best finished one, or at
// its longest (Vaswani et al. 2017: the source's tokens + 50). The best
// finished hypothesis is the translation; if there is none, the best live one.
//
// Of the tokens, pad and bos are never written.
//
// With beam 1 this is greedy search; with a beam of all hypotheses there are,
// an exhaustive one.
#pragma once

#include "model/translator.h"

#include <cstdint>
#include <vector>

namespace grapevine::model {

struct BeamOptions {
  int64_t beam = 4;            // at least 1
  double length_penalty = 0.6; // at least 0
  int64_t extra_length = 50;   // tokens beyond those of the source
};

struct Hypothesis {
  std::vector<int64_t> tokens; // without bos and eos
  double score;
};

// sources [B, S]: tokens, eos, pad …. One for each, in order. All sentences
// go through the model together; those that are done leave it. The model must
// be in evaluation; any number of threads.
std::vector<Hypothesis> translate(
    Translator& model,
    const torch::Tensor& sources,
    const BeamOptions& options);

} // namespace grapevine::model
