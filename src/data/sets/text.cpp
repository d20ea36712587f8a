// Text for language models, from one file:
//
//   token    without a vocabulary: place of the byte among those that occur,
//            by value; with one, its byte pairs (data/bpe.h)
//   train    the first 90 % of the bytes (rounded down), test the rest; byte
//            pairs do not cross the cut
//   sample   a window of `context` tokens: data/windows.h
//
// Without a vocabulary the file is kept as a byte a token, shared by both
// parts.
#include "data/sets/sets.h"

#include "base/error.h"
#include "data/bpe.h"
#include "data/file.h"
#include "data/windows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

namespace grapevine::data {
namespace {

namespace fs = std::filesystem;

using Bytes = TokenText<uint8_t>;
using Pieces = TokenText<int32_t>;

// Bytes become tokens in place.
Bytes tokenise(std::vector<uint8_t> bytes) {
  std::array<bool, 256> occurs{};
  for (const uint8_t byte : bytes)
    occurs[byte] = true;
  std::array<uint8_t, 256> token{};
  int vocabulary = 0;
  for (size_t byte = 0; byte < occurs.size(); ++byte) {
    if (occurs[byte]) token[byte] = static_cast<uint8_t>(vocabulary++);
  }
  for (uint8_t& byte : bytes)
    byte = token[byte];
  return {std::move(bytes), vocabulary};
}

// How a text of so many tokens is parted.
struct Parts {
  int64_t split;
  int64_t tokens;
};

void check_context(
    const Parts& parts,
    int64_t context,
    const std::string& path,
    const char* unit) {
  const int64_t longest = std::min(parts.split, parts.tokens - parts.split) - 1;
  if (context <= longest) return;
  throw ConfigError(fmt::format(
      "context: {} has {} {}, of which a tenth is the test set; expected "
      "at most {}, got {}",
      path,
      parts.tokens,
      unit,
      std::max<int64_t>(longest, 0),
      context));
}

template <typename Text>
Dataset windows_of(Text text, const Parts& parts, int64_t context) {
  const auto shared = std::make_shared<const Text>(std::move(text));
  return {
      .name = "text",
      .train = make_windows(shared, 0, parts.split, context),
      .test = make_windows(shared, parts.split, parts.tokens, context)};
}

int64_t train_bytes(const std::vector<uint8_t>& bytes) {
  return static_cast<int64_t>(bytes.size()) * 9 / 10;
}

Dataset load_bytes(const std::string& path, int64_t context) {
  Bytes text = tokenise(read_file(path));
  const Parts parts = {
      train_bytes(text.tokens),
      static_cast<int64_t>(text.tokens.size())};
  check_context(parts, context, path, "bytes");
  return windows_of(std::move(text), parts, context);
}

Dataset load_pieces(
    const std::string& path,
    int64_t context,
    const std::string& vocabulary) {
  const Bpe bpe = read_bpe(vocabulary);
  const auto bytes = read_file(path);
  const std::string_view all(
      reinterpret_cast<const char*>(bytes.data()),
      bytes.size());
  Pieces text{.tokens = {}, .vocabulary = bpe.size()};
  BpeEncoder encoder(bpe);
  encoder.encode(all.substr(0, train_bytes(bytes)), text.tokens);
  const auto split = static_cast<int64_t>(text.tokens.size());
  encoder.encode(all.substr(train_bytes(bytes)), text.tokens);
  const Parts parts = {split, static_cast<int64_t>(text.tokens.size())};
  check_context(parts, context, path, "tokens");
  return windows_of(std::move(text), parts, context);
}

std::string text_in(const std::string& folder) {
  const FileSet files = text_files({});
  const auto published = fs::path(folder) / files.files.front();
  std::error_code ignored;
  if (fs::is_regular_file(published, ignored)) return published.string();
  const auto names = files_ending_with(folder, files.extension);
  if (names.size() > 1) {
    throw ConfigError(fmt::format(
        "data directory '{}' holds several texts ({}); keep one of them there, "
        "or call it {}",
        folder,
        fmt::join(names, ", "),
        files.files.front()));
  }
  // None: the folder has changed meanwhile, and reading will say so.
  return names.empty() ? published.string()
                       : (fs::path(folder) / names.front()).string();
}

} // namespace

FileSet text_files(const DataOptions& /*options*/) {
  return {
      .name = "text",
      .files = {"input.txt"},
      .archive_folder = "tinyshakespeare",
      .extension = ".txt"};
}

Dataset load_text(const std::string& folder, const DataOptions& options) {
  const auto path = text_in(folder);
  return options.vocabulary.empty()
             ? load_bytes(path, options.context)
             : load_pieces(path, options.context, options.vocabulary);
}

} // namespace grapevine::data
