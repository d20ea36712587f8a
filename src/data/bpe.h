// Byte-pair encoding over bytes (Sennrich, Haddow, Birch 2016; on bytes as in
// Radford et al. 2019):
//
//   tokens 0 to 255     the bytes
//   token 256 + i       the i-th merge: two earlier tokens side by side
//
// A text is cut into words (data/words.h); in each, of all pairs that stand
// side by side the one of the lowest token is merged, the leftmost first,
// until none is left that the vocabulary knows. So every text has an encoding,
// and decoding gives back its bytes.
//
// The vocabulary's file is plain text (docs/formats.md):
//
//   grapevine-bpe 1
//   merges M
//   LEFT RIGHT            M times: the i-th makes token 256 + i
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace grapevine::data {

struct Merge {
  int32_t left;
  int32_t right;
  bool operator==(const Merge&) const = default;
};

// Immutable once made; any thread may read it.
class Bpe {
 public:
  static constexpr int kBytes = 256;
  static constexpr int64_t kMostMerges = 1'000'000;

  // Throws ConfigError, with the merge's number: one of tokens that are not
  // there yet, one that was there before, or one longer than a word can be;
  // or more than kMostMerges.
  explicit Bpe(std::vector<Merge> merges);

  int size() const { return static_cast<int>(pieces_.size()); }
  const std::vector<Merge>& merges() const { return merges_; }
  // The bytes of a token. 0 <= token < size().
  const std::string& piece(int token) const { return pieces_[token]; }
  // What merging makes of the two; -1 where they are not merged.
  int32_t merged(int32_t left, int32_t right) const;

  // The bytes of tokens, each of 0 <= token < size().
  std::string decode(std::span<const int32_t> tokens) const;

 private:
  std::vector<Merge> merges_;
  std::vector<std::string> pieces_;
  std::unordered_map<uint64_t, int32_t> merged_;
};

// Encodes, and remembers the words that it has met: texts repeat theirs. One
// thread at a time; borrows the vocabulary.
class BpeEncoder {
 public:
  explicit BpeEncoder(const Bpe& bpe) : bpe_(bpe) {}

  // Puts the text's tokens behind those that are there.
  void encode(std::string_view text, std::vector<int32_t>& tokens);
  std::vector<int32_t> encode(std::string_view text);

 private:
  void encode_word(std::string_view word, std::vector<int32_t>& tokens) const;

  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  const Bpe& bpe_;
  std::unordered_map<std::string, std::vector<int32_t>, Hash, std::equal_to<>>
      known_;
};

} // namespace grapevine::data
