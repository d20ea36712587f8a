// BLEU of a model on a test set of sentence pairs, over a whole cluster.
#pragma once

#include "data/source.h"
#include "mix/cluster.h"
#include "run/worker.h"

namespace grapevine::run {

// Sentences of about the same length go through beam search together, in
// batches that are dealt to the workers; each translates with `translator`,
// which is in evaluation and the same on every process. data/bleu.h is the
// definition; 0 to 100. Collective; the same result everywhere. The test set
// has pairs().
double corpus_bleu(
    mix::Cluster& cluster,
    const Worker& translator,
    const data::Source& test,
    const TranslationOptions& options);

} // namespace grapevine::run
