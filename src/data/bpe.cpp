#include "data/bpe.h"

#include "base/check.h"
#include "base/error.h"
#include "data/words.h"

#include <fmt/format.h>

#include <utility>

namespace grapevine::data {
namespace {

constexpr size_t kMostKnownWords = 1 << 18; // bounds the encoder's memory

uint64_t key_of(int32_t left, int32_t right) {
  return static_cast<uint64_t>(left) << 32U | static_cast<uint32_t>(right);
}

[[noreturn]] void refuse(size_t number, const Merge& merge, const char* why) {
  throw ConfigError(fmt::format(
      "merge {} ({} {}): {}",
      number,
      merge.left,
      merge.right,
      why));
}

} // namespace

Bpe::Bpe(std::vector<Merge> merges) : merges_(std::move(merges)) {
  if (static_cast<int64_t>(merges_.size()) > kMostMerges) {
    throw ConfigError(fmt::format(
        "expected at most {} merges, got {}",
        kMostMerges,
        merges_.size()));
  }
  for (int byte = 0; byte < kBytes; ++byte)
    pieces_.emplace_back(1, static_cast<char>(byte));
  for (size_t i = 0; i < merges_.size(); ++i) {
    const auto [left, right] = merges_[i];
    const int32_t token = size();
    if (left < 0 || left >= token || right < 0 || right >= token) {
      refuse(i, merges_[i], "expected tokens that were made before it");
    }
    if (!merged_.emplace(key_of(left, right), token).second) {
      refuse(i, merges_[i], "was made before");
    }
    pieces_.push_back(pieces_[left] + pieces_[right]);
    if (pieces_.back().size() > kLongestWord) {
      refuse(i, merges_[i], "is longer than any word");
    }
  }
}

int32_t Bpe::merged(int32_t left, int32_t right) const {
  const auto found = merged_.find(key_of(left, right));
  return found == merged_.end() ? -1 : found->second;
}

std::string Bpe::decode(std::span<const int32_t> tokens) const {
  std::string text;
  for (const int32_t token : tokens) {
    GV_CHECK(token >= 0 && token < size());
    text += pieces_[token];
  }
  return text;
}

void BpeEncoder::encode_word(
    std::string_view word,
    std::vector<int32_t>& tokens) const {
  tokens.clear();
  for (const char byte : word)
    tokens.push_back(static_cast<unsigned char>(byte));
  while (tokens.size() > 1) {
    int32_t lowest = bpe_.size();
    size_t at = 0;
    for (size_t i = 0; i + 1 < tokens.size(); ++i) {
      const int32_t token = bpe_.merged(tokens[i], tokens[i + 1]);
      if (token < 0 || token >= lowest) continue;
      lowest = token;
      at = i;
    }
    if (lowest == bpe_.size()) return;
    tokens[at] = lowest;
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

void BpeEncoder::encode(std::string_view text, std::vector<int32_t>& tokens) {
  std::vector<int32_t> fresh;
  for_each_word(text, [&](std::string_view word) {
    const auto found = known_.find(word);
    if (found != known_.end()) {
      tokens.insert(tokens.end(), found->second.begin(), found->second.end());
      return;
    }
    encode_word(word, fresh);
    tokens.insert(tokens.end(), fresh.begin(), fresh.end());
    if (known_.size() < kMostKnownWords) known_.emplace(word, fresh);
  });
}

std::vector<int32_t> BpeEncoder::encode(std::string_view text) {
  std::vector<int32_t> tokens;
  encode(text, tokens);
  return tokens;
}

} // namespace grapevine::data
