// Byte-pair encoding over bytes (Sennrich, Haddow, Birch 2016; on bytes as in
// Radford et al. 2019):
//
//   tokens 0 to 255     the bytes
//   token 256 + i       the i-th merge: two earlier tokens side by side
//
// A text is cut into words, and no pair crosses a cut. A word is a run of
// letters, of digits or of other characters, with the single space before it,
// if there is one; what is left are runs of blanks. Bytes from 0x80 on count
// as letters, so that UTF-8 stays together. A word has at most kLongestWord
// bytes: a longer run is cut. In each word the pair with the lowest token is
// merged, the leftmost first, until the vocabulary knows none of its pairs. So
// every text has an encoding, and decoding gives back its bytes.
//
// (SentencePiece would do this too, but Debian's libsentencepiece exports a
// protobuf of its own, older than the one libtorch links: a program with both
// crashes as it starts.)
//
// A vocabulary's file is plain text (docs/formats.md):
//
//   grapevine-bpe 1
//   merges M
//   LEFT RIGHT            M times: the i-th makes token 256 + i
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace grapevine::data {

inline constexpr size_t kLongestWord = 128;

// Returns the length of the word that text begins with; 0 if it is empty. The
// words joined are the text.
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

std::string format_bpe(const Bpe& bpe);

// Throws ConfigError: the file's name, the line, what was expected and what was
// found.
Bpe parse_bpe(std::string_view text, const std::string& file_name);

// Throws ConfigError: there is no such file, or it is no vocabulary (it is a
// path that the user gave); IoError: it cannot be read.
Bpe read_bpe(const std::string& path);

// Whole or not at all. Throws IoError.
void write_bpe(const Bpe& bpe, const std::string& path);

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

// Learns a vocabulary of `size` tokens, bytes included; at least Bpe::kBytes.
// While there is room, the pair of tokens that is side by side most often
// within words becomes a token; of equally frequent ones the pair of the lowest
// tokens (left, then right). Learning ends before pairs that occur only once,
// with a vocabulary smaller than `size`. The result depends on the counts
// alone.
Bpe train_bpe(const WordCounts& words, int size);

} // namespace grapevine::data
