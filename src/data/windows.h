// A text of tokens as samples: windows of c tokens that do not overlap.
//
//   sample i of x: inputs  x[i c] … x[i c + c - 1]
//                  labels  x[i c + 1] … x[i c + c]
//
// so that every token but the first is predicted once, and a window sees
// nothing before itself (unless the model carries its state along:
// Reading::kStreams). What does not fill a window is left out.
#pragma once

#include "data/source.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace grapevine::data {

// Tokens of a text, as small as they can be kept, and how many kinds there
// are.
template <typename Token>
struct TokenText {
  std::vector<Token> tokens;
  int vocabulary = 0;
};

// Of tokens begin to end, at least one window.
std::shared_ptr<const Source> make_windows(
    std::shared_ptr<const TokenText<uint8_t>> text,
    int64_t begin,
    int64_t end,
    int64_t context);
std::shared_ptr<const Source> make_windows(
    std::shared_ptr<const TokenText<int32_t>> text,
    int64_t begin,
    int64_t end,
    int64_t context);

} // namespace grapevine::data
