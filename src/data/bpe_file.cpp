#include "data/bpe_file.h"

#include "base/error.h"
#include "data/file.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>

namespace grapevine::data {
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

} // namespace grapevine::data
