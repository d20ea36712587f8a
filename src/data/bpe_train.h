// Learning a byte-pair vocabulary: while there is room, the pair of tokens
// that stands side by side most often within words becomes a token; of equally
// frequent ones the pair of the lowest tokens (left, then right). Pairs that
// occur once teach nothing: learning ends before them, with a vocabulary that
// is smaller than was asked for.
//
// Words are counted first. A merge then costs what it changes: the words that
// hold the pair, found through an index of pairs, and a heap for the most
// frequent one, whose stale entries are put right when they come up.
#pragma once

#include "data/bpe.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace grapevine::data {

// How often each word of a text occurs. One thread at a time.
class WordCounts {
 public:
  void add(std::string_view text);
  const std::unordered_map<std::string, int64_t>& counts() const {
    return counts_;
  }

 private:
  std::unordered_map<std::string, int64_t> counts_;
};

// size: of the vocabulary, bytes included; at least Bpe::kBytes. The result
// depends on the counts alone. progress, if any, is told the size so far.
Bpe train_bpe(
    const WordCounts& words,
    int size,
    const std::function<void(int)>& progress = {});

} // namespace grapevine::data
