#include "data/bpe.h"

#include "base/check.h"
#include "base/error.h"
#include "data/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

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

namespace {

constexpr std::string_view kMagic = "grapevine-bpe 1";
constexpr std::string_view kMerges = "merges ";

// Lines of a text, each ended by \n.
class Lines {
 public:
  Lines(std::string_view text, const std::string& file_name)
      : rest_(text),
        file_name_(file_name) {}

  std::string_view next(std::string_view expected) {
    ++number_;
    const size_t end = rest_.find('\n');
    if (end == std::string_view::npos) {
      refuse(expected, rest_.empty() ? "the end of the file" : "a cut line");
    }
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return line;
  }

  bool at_end() const { return rest_.empty(); }

  [[noreturn]] void refuse(std::string_view expected, std::string_view found) {
    constexpr size_t kShown = 40;
    throw ConfigError(fmt::format(
        "{}:{}: expected {}, found {}",
        file_name_,
        number_,
        expected,
        found.substr(0, kShown)));
  }

 private:
  std::string_view rest_;
  const std::string& file_name_;
  int64_t number_ = 0;
};

std::optional<int32_t> number_in(std::string_view text) {
  int32_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && value >= 0 ? std::optional(value) : std::nullopt;
}

int64_t merge_count(Lines& lines) {
  const std::string expected =
      fmt::format("'merges M' with M at most {}", Bpe::kMostMerges);
  const std::string_view line = lines.next(expected);
  if (!line.starts_with(kMerges)) lines.refuse(expected, line);
  const auto count = number_in(line.substr(kMerges.size()));
  if (!count || *count > Bpe::kMostMerges) lines.refuse(expected, line);
  return *count;
}

Merge merge_in(Lines& lines) {
  constexpr std::string_view kExpected = "two tokens";
  const std::string_view line = lines.next(kExpected);
  const size_t space = line.find(' ');
  if (space == std::string_view::npos) lines.refuse(kExpected, line);
  const auto left = number_in(line.substr(0, space));
  const auto right = number_in(line.substr(space + 1));
  if (!left || !right) lines.refuse(kExpected, line);
  return {*left, *right};
}

} // namespace

std::string format_bpe(const Bpe& bpe) {
  std::string text =
      fmt::format("{}\n{}{}\n", kMagic, kMerges, bpe.merges().size());
  for (const Merge& merge : bpe.merges())
    text += fmt::format("{} {}\n", merge.left, merge.right);
  return text;
}

Bpe parse_bpe(std::string_view text, const std::string& file_name) {
  Lines lines(text, file_name);
  const std::string expected =
      fmt::format("'{}', a vocabulary of `grapevine data bpe`", kMagic);
  const std::string_view magic = lines.next(expected);
  if (magic != kMagic) lines.refuse(expected, magic);
  const int64_t count = merge_count(lines);
  std::vector<Merge> merges;
  for (int64_t i = 0; i < count; ++i)
    merges.push_back(merge_in(lines));
  if (!lines.at_end()) lines.refuse("the end after it", "more lines");
  try {
    return Bpe(std::move(merges));
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", file_name, error.what()));
  }
}

Bpe read_bpe(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw ConfigError(fmt::format(
        "vocabulary '{}' is not there; `grapevine data bpe` makes one",
        path));
  }
  const auto bytes = read_file(path);
  return parse_bpe(
      {reinterpret_cast<const char*>(bytes.data()), bytes.size()},
      path);
}

void write_bpe(const Bpe& bpe, const std::string& path) {
  PartFile file(path, /*keep_old=*/false);
  file.write(format_bpe(bpe));
  file.commit();
}

namespace {

struct Word {
  std::vector<int32_t> tokens;
  int64_t count;
};

Merge pair_of(uint64_t key) {
  return {static_cast<int32_t>(key >> 32U), static_cast<int32_t>(key)};
}

// Words are counted first. A merge then costs what it changes: the words that
// hold the pair, found through an index of pairs, and a heap for the most
// frequent pair, whose stale entries are corrected when they come up.
class Trainer {
 public:
  explicit Trainer(const WordCounts& words) {
    // In the order of their bytes, not of the hash table's.
    std::vector<std::pair<std::string_view, int64_t>> sorted(
        words.counts().begin(),
        words.counts().end());
    std::ranges::sort(sorted);
    for (const auto& [text, count] : sorted) {
      Word word{.tokens = {}, .count = count};
      for (const char byte : text)
        word.tokens.push_back(static_cast<unsigned char>(byte));
      words_.push_back(std::move(word));
    }
    for (int32_t index = 0; index < static_cast<int32_t>(words_.size());
         ++index) {
      const auto& tokens = words_[index].tokens;
      for (size_t i = 0; i + 1 < tokens.size(); ++i)
        count(tokens[i], tokens[i + 1], words_[index].count, index);
    }
    for (const auto& [key, pair] : pairs_)
      heap_.push({pair.count, key});
  }

  // False: no pair occurs twice.
  bool merge_most_frequent() {
    while (!heap_.empty()) {
      const auto [count, key] = heap_.top();
      heap_.pop();
      const int64_t now = pairs_[key].count;
      if (now == count && count > 1) {
        merge(key);
        return true;
      }
      if (now < count && now > 1) heap_.push({now, key});
    }
    return false;
  }

  std::vector<Merge> take_merges() { return std::move(merges_); }

 private:
  struct Pair {
    int64_t count = 0;
    std::vector<int32_t> words; // that hold it, or did once
  };
  struct Candidate {
    int64_t count;
    uint64_t key;
    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count : key > other.key;
    }
  };

  void count(int32_t left, int32_t right, int64_t by, int32_t word) {
    Pair& pair = pairs_[key_of(left, right)];
    pair.count += by;
    const bool is_new = pair.words.empty() || pair.words.back() != word;
    if (by > 0 && is_new) pair.words.push_back(word);
  }

  void merge(uint64_t key) {
    const Merge merge = pair_of(key);
    const auto token = static_cast<int32_t>(Bpe::kBytes + merges_.size());
    merges_.push_back(merge);
    const std::vector<int32_t> words = std::move(pairs_[key].words);
    grown_.clear();
    for (const int32_t word : words)
      merge_in(word, merge, token);
    pairs_.erase(key);
    // What has become more frequent; the rest is found out when it comes up.
    std::ranges::sort(grown_);
    grown_.erase(std::unique(grown_.begin(), grown_.end()), grown_.end());
    for (const uint64_t changed : grown_)
      heap_.push({pairs_[changed].count, changed});
  }

  // Takes the word's pairs out of the counts, and puts those of the merged
  // word in.
  void merge_in(int32_t index, const Merge& merge, int32_t token) {
    auto& tokens = words_[index].tokens;
    const int64_t times = words_[index].count;
    merged_.clear();
    for (size_t i = 0; i < tokens.size(); ++i) {
      const bool here = i + 1 < tokens.size() && tokens[i] == merge.left &&
                        tokens[i + 1] == merge.right;
      merged_.push_back(here ? token : tokens[i]);
      i += here ? 1 : 0;
    }
    if (merged_.size() == tokens.size()) return; // no longer in this word
    for (size_t i = 0; i + 1 < tokens.size(); ++i)
      count(tokens[i], tokens[i + 1], -times, index);
    for (size_t i = 0; i + 1 < merged_.size(); ++i) {
      count(merged_[i], merged_[i + 1], times, index);
      if (merged_[i] == token || merged_[i + 1] == token) {
        grown_.push_back(key_of(merged_[i], merged_[i + 1]));
      }
    }
    tokens = merged_;
  }

  std::vector<Word> words_;
  std::unordered_map<uint64_t, Pair> pairs_;
  std::priority_queue<Candidate> heap_;
  std::vector<Merge> merges_;
  std::vector<int32_t> merged_; // scratch of merge_in
  std::vector<uint64_t> grown_; // scratch of merge
};

} // namespace

void WordCounts::add(std::string_view text) {
  for_each_word(text, [this](std::string_view word) {
    ++counts_[std::string(word)];
  });
}

Bpe train_bpe(const WordCounts& words, int size) {
  GV_CHECK_GE(size, Bpe::kBytes);
  Trainer trainer(words);
  for (int made = Bpe::kBytes; made < size; ++made) {
    if (!trainer.merge_most_frequent()) break;
  }
  return Bpe(trainer.take_merges());
}

} // namespace grapevine::data
