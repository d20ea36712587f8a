// How text is cut before byte pairs are merged: no pair crosses a cut.
//
// A word is a run of letters, of digits or of other signs, with the single
// space before it, if there is one; what is left are runs of blanks. Bytes
// from 0x80 on count as letters, so that UTF-8 stays together. A word has at
// most kLongestWord bytes: a longer run is cut.
#pragma once

#include <cstddef>
#include <string_view>

namespace grapevine::data {

inline constexpr size_t kLongestWord = 128;

// Of the word that text begins with; 0 of an empty text. Words put together
// are the text.
size_t word_length(std::string_view text);

// Calls action(word) for every word in order.
template <typename Action>
void for_each_word(std::string_view text, Action&& action) {
  while (!text.empty()) {
    const size_t length = word_length(text);
    action(text.substr(0, length));
    text.remove_prefix(length);
  }
}

} // namespace grapevine::data
