#include "cli/bpe_action.h"

#include "base/error.h"
#include "cli/console.h"
#include "cli/program.h"
#include "data/bpe.h"
#include "data/file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace grapevine::cli {
namespace {

constexpr int kLargest = 256 + data::Bpe::kMostMerges;

void check(const BpeArguments& arguments) {
  if (arguments.files.empty()) {
    throw ConfigError("data bpe: say which text files to learn from");
  }
  for (const auto& file : arguments.files) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored)) {
      throw ConfigError(fmt::format("data bpe: '{}' is not a file", file));
    }
  }
  if (arguments.size < data::Bpe::kBytes || arguments.size > kLargest) {
    throw ConfigError(fmt::format(
        "--size: expected an integer from {} (bytes alone) to {}, got {}",
        data::Bpe::kBytes,
        kLargest,
        arguments.size));
  }
  if (arguments.out.empty()) {
    throw ConfigError("data bpe: say --out FILE, where the vocabulary goes");
  }
}

void show(
    const BpeArguments& arguments,
    const data::Bpe& bpe,
    int64_t bytes,
    bool json) {
  if (json) {
    print_json(nlohmann::ordered_json{
        {"vocabulary", arguments.out},
        {"size", bpe.size()},
        {"bytes", bytes}});
    return;
  }
  std::string text =
      fmt::format("a vocabulary of {} is in {}\n", bpe.size(), arguments.out);
  if (bpe.size() < arguments.size) {
    text += fmt::format(
        "smaller than {}: no other pair occurs twice in the text\n",
        arguments.size);
  }
  print_text(text);
}

} // namespace

int make_bpe(const BpeArguments& arguments, bool json) {
  check(arguments);
  data::WordCounts words;
  int64_t bytes = 0;
  for (const auto& file : arguments.files) {
    const auto text = data::read_file(file);
    words.add({reinterpret_cast<const char*>(text.data()), text.size()});
    bytes += static_cast<int64_t>(text.size());
  }
  const data::Bpe bpe = data::train_bpe(words, arguments.size);
  data::write_bpe(bpe, arguments.out);
  show(arguments, bpe, bytes, json);
  return kDone;
}

} // namespace grapevine::cli
