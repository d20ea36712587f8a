#include "data/text.h"

#include "base/error.h"
#include "data/file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

namespace grapevine::data {
namespace {

namespace fs = std::filesystem;

struct Text {
  std::vector<uint8_t> tokens;
  int vocabulary = 0;
};

// Bytes become tokens in place.
Text tokenise(std::vector<uint8_t> bytes) {
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

class TextSource final : public Source {
 public:
  // Of bytes begin to end.
  TextSource(
      std::shared_ptr<const Text> text,
      int64_t begin,
      int64_t end,
      int64_t context)
      : text_(std::move(text)),
        begin_(begin),
        windows_((end - begin - 1) / context),
        context_(context) {}

  int64_t size() const override { return windows_; }
  std::vector<int64_t> sample_shape() const override { return {context_}; }
  int classes() const override { return text_->vocabulary; }
  bool has_tokens() const override { return true; }
  int64_t labels_per_sample() const override { return context_; }
  Reading reading() const override { return Reading::kStreams; }

 private:
  void fill(
      std::span<const int64_t> indices,
      Batch& batch,
      const Draw* /*draw*/) const override {
    int64_t* tokens = batch.tokens.data();
    int64_t* labels = batch.labels.data();
    for (const int64_t index : indices) {
      const uint8_t* from = text_->tokens.data() + begin_ + index * context_;
      tokens = std::copy_n(from, context_, tokens);
      labels = std::copy_n(from + 1, context_, labels);
    }
  }

  std::shared_ptr<const Text> text_;
  int64_t begin_;
  int64_t windows_;
  int64_t context_;
};

std::string text_in(const std::string& folder) {
  const auto published = fs::path(folder) / text_files().files.front();
  std::error_code ignored;
  if (fs::is_regular_file(published, ignored)) return published.string();
  const auto names = files_ending_with(folder, text_files().extension);
  if (names.size() > 1) {
    throw ConfigError(fmt::format(
        "data directory '{}' holds several texts ({}); keep one of them there, "
        "or call it {}",
        folder,
        fmt::join(names, ", "),
        text_files().files.front()));
  }
  // None: the folder has changed meanwhile, and reading will say so.
  return names.empty() ? published.string()
                       : (fs::path(folder) / names.front()).string();
}

} // namespace

const FileSet& text_files() {
  static const FileSet files = {
      .name = "text",
      .files = {"input.txt"},
      .archive_folder = "tinyshakespeare",
      .extension = ".txt"};
  return files;
}

Dataset load_text(const std::string& folder, int64_t context) {
  const auto path = text_in(folder);
  const auto text = std::make_shared<const Text>(tokenise(read_file(path)));
  const auto bytes = static_cast<int64_t>(text->tokens.size());
  const int64_t split = bytes * 9 / 10;
  const int64_t longest = std::min(split, bytes - split) - 1;
  if (context > longest) {
    throw ConfigError(fmt::format(
        "context: {} has {} bytes, of which a tenth is the test set; expected "
        "at most {}, got {}",
        path,
        bytes,
        std::max<int64_t>(longest, 0),
        context));
  }
  return {
      .name = "text",
      .train = std::make_shared<TextSource>(text, 0, split, context),
      .test = std::make_shared<TextSource>(text, split, bytes, context)};
}

} // namespace grapevine::data
