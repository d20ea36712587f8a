#include "data/bpe_train.h"

#include "base/check.h"
#include "data/words.h"

#include <algorithm>
#include <queue>
#include <utility>
#include <vector>

namespace grapevine::data {
namespace {

struct Word {
  std::vector<int32_t> tokens;
  int64_t count;
};

uint64_t key_of(int32_t left, int32_t right) {
  return static_cast<uint64_t>(left) << 32U | static_cast<uint32_t>(right);
}

Merge pair_of(uint64_t key) {
  return {static_cast<int32_t>(key >> 32U), static_cast<int32_t>(key)};
}

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

Bpe train_bpe(
    const WordCounts& words,
    int size,
    const std::function<void(int)>& progress) {
  GV_CHECK_GE(size, Bpe::kBytes);
  Trainer trainer(words);
  for (int made = Bpe::kBytes; made < size; ++made) {
    if (!trainer.merge_most_frequent()) break;
    if (progress) progress(made + 1);
  }
  return Bpe(trainer.take_merges());
}

} // namespace grapevine::data
