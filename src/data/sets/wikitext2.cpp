// WikiText-2 (Merity et al. 2017), as it is published tokenised:
//
//   words        what stands between spaces, and <eos> at the end of each line
//   vocabulary   the words of the training file in order of appearance
//   sample       a window of `context` words: data/windows.h
//
// The training file is wiki.train.tokens, the test file wiki.test.tokens;
// wiki.valid.tokens is checked, and not used.
#include "data/sets/sets.h"

#include "base/error.h"
#include "data/file.h"
#include "data/windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace grapevine::data {
namespace {

class Vocabulary {
 public:
  int32_t add(std::string_view word) {
    const auto next = static_cast<int32_t>(ids_.size());
    return ids_.try_emplace(std::string(word), next).first->second;
  }
  // -1: unknown.
  int32_t find(std::string_view word) const {
    const auto found = ids_.find(std::string(word));
    return found == ids_.end() ? -1 : found->second;
  }
  int size() const { return static_cast<int>(ids_.size()); }

 private:
  std::unordered_map<std::string, int32_t> ids_;
};

// Calls action(word, line) for every word of the file, line from 1.
template <typename Action>
void for_each_word_of(const std::string& path, Action&& action) {
  const auto bytes = read_file(path);
  std::string_view rest(
      reinterpret_cast<const char*>(bytes.data()),
      bytes.size());
  for (int64_t line = 1; !rest.empty(); ++line) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view words = rest.substr(0, end);
    while (!words.empty()) {
      const size_t space = std::min(words.find(' '), words.size());
      if (space > 0) action(words.substr(0, space), line);
      words.remove_prefix(std::min(space + 1, words.size()));
    }
    action(std::string_view("<eos>"), line);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

void check_count(
    const std::string& path,
    int64_t found,
    int64_t expected,
    const char* what) {
  if (expected == 0 || found == expected) return;
  throw IoError(
      fmt::format("{}: expected {} {}, found {}", path, expected, what, found));
}

std::vector<int32_t> read_known(
    const std::string& path,
    const Vocabulary& vocabulary,
    int64_t expected) {
  std::vector<int32_t> tokens;
  for_each_word_of(path, [&](std::string_view word, int64_t line) {
    const int32_t token = vocabulary.find(word);
    if (token < 0) {
      throw IoError(fmt::format(
          "{}:{}: the word '{}' is not in the training file",
          path,
          line,
          word));
    }
    tokens.push_back(token);
  });
  check_count(path, static_cast<int64_t>(tokens.size()), expected, "words");
  return tokens;
}

std::shared_ptr<const Source> windows_of(
    std::vector<int32_t> tokens,
    int vocabulary,
    int64_t context,
    const std::string& path) {
  const auto count = static_cast<int64_t>(tokens.size());
  if (context > count - 1) {
    throw ConfigError(fmt::format(
        "context: {} has {} words; expected at most {}, got {}",
        path,
        count,
        std::max<int64_t>(count - 1, 0),
        context));
  }
  return make_windows(
      std::make_shared<const TokenText<int32_t>>(
          TokenText<int32_t>{std::move(tokens), vocabulary}),
      0,
      count,
      context);
}

} // namespace

FileSet wikitext2_files(const DataOptions& /*options*/) {
  return {
      .name = "wikitext2",
      .files = {"wiki.train.tokens", "wiki.valid.tokens", "wiki.test.tokens"},
      .archive_folder = "wikitext-2"};
}

Dataset load_words(
    const std::string& folder,
    int64_t context,
    const WordCountsExpected& expected) {
  const FileSet files = wikitext2_files({});
  const auto path = [&](int i) { return folder + "/" + files.files[i]; };
  Vocabulary vocabulary;
  std::vector<int32_t> train;
  for_each_word_of(path(0), [&](std::string_view word, int64_t) {
    train.push_back(vocabulary.add(word));
  });
  check_count(
      path(0),
      static_cast<int64_t>(train.size()),
      expected.train,
      "words");
  check_count(
      path(0),
      vocabulary.size(),
      expected.vocabulary,
      "different words");
  read_known(path(1), vocabulary, expected.valid);
  auto test = read_known(path(2), vocabulary, expected.test);
  const int size = vocabulary.size();
  return {
      .name = "wikitext2",
      .train = windows_of(std::move(train), size, context, path(0)),
      .test = windows_of(std::move(test), size, context, path(2))};
}

Dataset load_wikitext2(const std::string& folder, const DataOptions& options) {
  return load_words(
      folder,
      options.context,
      {.vocabulary = 33278, .train = 2088628, .valid = 217646, .test = 245569});
}

} // namespace grapevine::data
