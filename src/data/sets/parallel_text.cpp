// A line-parallel corpus for translation: line i of one file says in the
// target language what line i of the other says in the source language.
//
//   tokens   pad, bos, eos, then the byte pairs of one vocabulary for both
//            languages (data/bpe.h); a line is encoded with a space before it,
//            so that its first word is a word like any other
//   sample   a row as base/sentence_tokens.h lays it out, padded to the
//            longest source and to the longest target of its batch
//   length   of the longer side, with eos
//
// Blanks at both ends of a line are dropped. Of the training pairs, those with
// an empty side and those with a side of more than `longest` tokens are left
// out. Of the test pairs none is: sides that are too long are cut. Both are
// counted in the data set's notes.
//
// The files are train.lc.norm.tok.LANGUAGE and
// test_2016_flickr.lc.norm.tok.LANGUAGE (Multi30k's names), or
// train.LANGUAGE and test.LANGUAGE.
#include "data/sets/sets.h"

#include "base/error.h"
#include "base/sentence_tokens.h"
#include "data/bpe.h"
#include "data/file.h"
#include "data/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

namespace grapevine::data {
namespace {

// Sentences one behind the other: one allocation for all.
class Sentences {
 public:
  void add(std::span<const int32_t> tokens) {
    tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
    ends_.push_back(static_cast<int64_t>(tokens_.size()));
  }
  std::span<const int32_t> operator[](int64_t index) const {
    const int64_t begin = index == 0 ? 0 : ends_[index - 1];
    return std::span(tokens_).subspan(begin, ends_[index] - begin);
  }
  int64_t size() const { return static_cast<int64_t>(ends_.size()); }

 private:
  std::vector<int32_t> tokens_;
  std::vector<int64_t> ends_;
};

struct Pairs {
  std::shared_ptr<const Bpe> bpe;
  Sentences sources;
  Sentences targets;
  std::vector<std::string> references; // of the test set
};

class ParallelText final : public Source, private SentencePairs {
 public:
  explicit ParallelText(Pairs pairs) : pairs_(std::move(pairs)) {
    for (int64_t i = 0; i < size(); ++i) {
      longest_.source = std::max(longest_.source, columns(pairs_.sources[i]));
      longest_.target = std::max(longest_.target, columns(pairs_.targets[i]));
    }
  }

  int64_t size() const override { return pairs_.sources.size(); }
  std::vector<int64_t> sample_shape() const override {
    return {longest_.source + longest_.target};
  }
  int classes() const override {
    return pairs_.bpe->size() + static_cast<int>(kSentenceTokens);
  }
  bool has_tokens() const override { return true; }
  int64_t labels_per_sample() const override { return longest_.target; }
  const SentencePairs* pairs() const override { return this; }

  Reading reading() const override { return Reading::kByLength; }
  std::vector<int64_t> lengths() const override {
    std::vector<int64_t> lengths;
    for (int64_t i = 0; i < size(); ++i) {
      lengths.push_back(
          std::max(columns(pairs_.sources[i]), columns(pairs_.targets[i])));
    }
    return lengths;
  }
  BatchShape shape_of(std::span<const int64_t> indices) const override {
    const Columns columns = columns_of(indices);
    return {{columns.source + columns.target}, columns.target};
  }

 private:
  struct Columns {
    int64_t source = 1; // with eos
    int64_t target = 1; // with bos
  };

  static int64_t columns(std::span<const int32_t> sentence) {
    return static_cast<int64_t>(sentence.size()) + 1;
  }

  Columns columns_of(std::span<const int64_t> indices) const {
    Columns most;
    for (const int64_t i : indices) {
      most.source = std::max(most.source, columns(pairs_.sources[i]));
      most.target = std::max(most.target, columns(pairs_.targets[i]));
    }
    return most;
  }

  void fill(
      std::span<const int64_t> indices,
      Batch& batch,
      const Draw* /*draw*/) const override {
    const Columns columns = columns_of(indices);
    std::ranges::fill(batch.tokens, kPad);
    std::ranges::fill(batch.labels, kNoLabel);
    int64_t* source = batch.tokens.data();
    int64_t* labels = batch.labels.data();
    const auto put = [](std::span<const int32_t> sentence, int64_t* to) {
      for (const int32_t token : sentence)
        *to++ = token + kSentenceTokens;
      return to;
    };
    for (const int64_t i : indices) {
      int64_t* target = source + columns.source;
      *put(pairs_.sources[i], source) = kEos;
      *target = kBos;
      put(pairs_.targets[i], target + 1);
      *put(pairs_.targets[i], labels) = kEos;
      source = target + columns.target;
      labels += columns.target;
    }
  }

  std::string_view reference(int64_t index) const override {
    return pairs_.references.at(index);
  }

  std::string text_of(std::span<const int64_t> tokens) const override {
    std::string text;
    for (const int64_t token : tokens) {
      if (token < kSentenceTokens) continue;
      text += pairs_.bpe->piece(static_cast<int>(token - kSentenceTokens));
    }
    return text.starts_with(' ') ? text.substr(1) : text;
  }

  Pairs pairs_;
  Columns longest_;
};

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r\v\f";
  const size_t begin = line.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kBlanks) + 1 - begin);
}

std::vector<std::string> read_lines(const std::string& path) {
  const auto bytes = read_file(path);
  std::string_view rest(
      reinterpret_cast<const char*>(bytes.data()),
      bytes.size());
  std::vector<std::string> lines;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    lines.emplace_back(trimmed(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return lines;
}

// Both sides of a part, line by line.
struct Lines {
  std::vector<std::string> sources;
  std::vector<std::string> targets;
};

Lines read_sides(const std::string& source, const std::string& target) {
  Lines lines = {read_lines(source), read_lines(target)};
  if (lines.sources.size() != lines.targets.size()) {
    throw IoError(fmt::format(
        "expected as many lines in both languages, found {} in {} and {} in {}",
        lines.sources.size(),
        source,
        lines.targets.size(),
        target));
  }
  return lines;
}

// Pairs of one part, and what did not fit.
class Reader {
 public:
  Reader(std::shared_ptr<const Bpe> bpe, int64_t longest)
      : bpe_(std::move(bpe)),
        encoder_(*bpe_),
        longest_(longest) {}

  Pairs train_pairs(const Lines& lines) {
    Pairs pairs{.bpe = bpe_};
    for (size_t i = 0; i < lines.sources.size(); ++i) {
      const auto source = encode(lines.sources[i]);
      const auto target = encode(lines.targets[i]);
      if (source.empty() || target.empty()) {
        ++empty_;
      } else if (is_long(source) || is_long(target)) {
        ++left_out_;
      } else {
        pairs.sources.add(source);
        pairs.targets.add(target);
      }
    }
    return pairs;
  }

  Pairs test_pairs(Lines lines) {
    Pairs pairs{.bpe = bpe_};
    for (size_t i = 0; i < lines.sources.size(); ++i) {
      pairs.sources.add(cut(encode(lines.sources[i])));
      pairs.targets.add(cut(encode(lines.targets[i])));
    }
    pairs.references = std::move(lines.targets);
    return pairs;
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    const auto note = [&](int64_t count, const std::string& what) {
      if (count > 0) notes.push_back(fmt::format("{} {}", count, what));
    };
    note(empty_, "training pairs with an empty side are left out");
    note(
        left_out_,
        fmt::format(
            "training pairs with more than {} tokens on a side are left out",
            longest_));
    note(cut_, fmt::format("test sentences are cut to {} tokens", longest_));
    return notes;
  }

 private:
  std::vector<int32_t> encode(const std::string& line) {
    return line.empty() ? std::vector<int32_t>{} : encoder_.encode(" " + line);
  }
  bool is_long(const std::vector<int32_t>& sentence) const {
    return static_cast<int64_t>(sentence.size()) > longest_;
  }
  std::vector<int32_t> cut(std::vector<int32_t> sentence) {
    if (!is_long(sentence)) return sentence;
    ++cut_;
    sentence.resize(longest_);
    return sentence;
  }

  std::shared_ptr<const Bpe> bpe_;
  BpeEncoder encoder_;
  int64_t longest_;
  int64_t empty_ = 0;
  int64_t left_out_ = 0;
  int64_t cut_ = 0;
};

constexpr std::string_view kMulti30k = ".lc.norm.tok.";

// The folder's own way to call its parts, up to the language.
struct Names {
  std::string train;
  std::string test;
};

Names names_in(const std::string& folder, const std::string& language) {
  const auto multi30k = fmt::format("{}/train{}", folder, kMulti30k);
  std::error_code ignored;
  if (std::filesystem::exists(multi30k + language, ignored)) {
    return {multi30k, fmt::format("{}/test_2016_flickr{}", folder, kMulti30k)};
  }
  return {folder + "/train.", folder + "/test."};
}

} // namespace

FileSet parallel_text_files(const DataOptions& options) {
  FileSet files = {
      .name = "parallel-text",
      .files = {},
      .archive_folder = "multi30k"};
  for (const auto& language :
       {options.source_language, options.target_language}) {
    files.files.push_back("train." + language);
    files.files.push_back(fmt::format("train{}{}", kMulti30k, language));
  }
  return files;
}

Dataset load_parallel_text(
    const std::string& folder,
    const DataOptions& options) {
  if (options.vocabulary.empty()) {
    throw ConfigError(
        "vocabulary: parallel-text needs one for both languages; "
        "`grapevine data bpe` makes it");
  }
  Reader reader(
      std::make_shared<const Bpe>(read_bpe(options.vocabulary)),
      options.longest);
  const Names names = names_in(folder, options.source_language);
  const auto& [source, target] =
      std::pair(options.source_language, options.target_language);
  Pairs train = reader.train_pairs(
      read_sides(names.train + source, names.train + target));
  if (train.sources.size() == 0) {
    throw ConfigError(fmt::format(
        "longest: {} has no pair with both sides there and of at most {} "
        "tokens",
        names.train + source,
        options.longest));
  }
  Pairs test =
      reader.test_pairs(read_sides(names.test + source, names.test + target));
  if (test.sources.size() == 0) {
    throw IoError(fmt::format("{}{} has no lines", names.test, source));
  }
  return {
      .name = "parallel-text",
      .train = std::make_shared<ParallelText>(std::move(train)),
      .test = std::make_shared<ParallelText>(std::move(test)),
      .notes = reader.notes()};
}

} // namespace grapevine::data
