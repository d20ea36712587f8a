// The tokens that every vocabulary of sentence pairs begins with, and how a
// pair lies in a row of tokens:
//
//   source, eos, pad …, bos, target, pad …
//
// bos stands in the same column of all rows of a batch and nowhere else. The
// labels of the columns from bos on are: target, eos, none ….
#pragma once

#include <cstdint>

namespace grapevine {

inline constexpr int64_t kPad = 0;
inline constexpr int64_t kBos = 1;
inline constexpr int64_t kEos = 2;
inline constexpr int64_t kSentenceTokens = 3;

} // namespace grapevine
