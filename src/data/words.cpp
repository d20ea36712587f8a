#include "data/words.h"

#include <algorithm>

namespace grapevine::data {
namespace {

enum class Sign { kLetter, kDigit, kBlank, kOther };

// The locale must not matter, so no <cctype>.
Sign sign_of(char character) {
  const auto byte = static_cast<unsigned char>(character);
  const unsigned char lower = byte | 0x20U;
  if ((lower >= 'a' && lower <= 'z') || byte >= 0x80) return Sign::kLetter;
  if (byte >= '0' && byte <= '9') return Sign::kDigit;
  if (byte == ' ' || (byte >= '\t' && byte <= '\r')) return Sign::kBlank;
  return Sign::kOther;
}

// Of the signs of one kind from `begin` on.
size_t end_of_run(std::string_view text, size_t begin) {
  const Sign sign = sign_of(text[begin]);
  size_t end = begin + 1;
  const size_t most = std::min(text.size(), kLongestWord);
  while (end < most && sign_of(text[end]) == sign)
    ++end;
  return end;
}

} // namespace

size_t word_length(std::string_view text) {
  if (text.empty()) return 0;
  const bool leads =
      text[0] == ' ' && text.size() > 1 && sign_of(text[1]) != Sign::kBlank;
  const size_t end = end_of_run(text, leads ? 1 : 0);
  // The last of several blanks leads the word behind them.
  const bool lends = !leads && end > 1 && end < text.size() &&
                     text[end - 1] == ' ' && sign_of(text[0]) == Sign::kBlank &&
                     sign_of(text[end]) != Sign::kBlank;
  return lends ? end - 1 : end;
}

} // namespace grapevine::data
