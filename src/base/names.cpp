#include "base/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace grapevine {
namespace {

// Optimal string alignment distance.
size_t edit_distance(std::string_view a, std::string_view b) {
  const size_t width = b.size() + 1;
  std::vector<size_t> cell((a.size() + 1) * width);
  const auto at = [&](size_t i, size_t j) -> size_t& {
    return cell[i * width + j];
  };
  for (size_t i = 0; i <= a.size(); ++i)
    at(i, 0) = i;
  for (size_t j = 0; j <= b.size(); ++j)
    at(0, j) = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = at(i - 1, j - 1) + (a[i - 1] != b[j - 1]);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
      }
    }
  }
  return at(a.size(), b.size());
}

} // namespace

std::optional<std::string> nearest_spelling(
    std::string_view word,
    std::span<const std::string> candidates) {
  const size_t limit = std::clamp<size_t>(word.size() / 3, 1, 3);
  size_t best = limit + 1;
  std::optional<std::string> found;
  for (const std::string& candidate : candidates) {
    const size_t distance = edit_distance(word, candidate);
    if (distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

std::string one_of(std::span<const std::string> words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

std::string unknown_name(
    std::string_view kind,
    std::string_view word,
    std::span<const std::string> allowed) {
  std::string text = fmt::format("unknown {} '{}'", kind, word);
  if (const auto near = nearest_spelling(word, allowed)) {
    text += fmt::format("; did you mean '{}'?", *near);
  }
  return text + fmt::format(" (allowed: {})", one_of(allowed));
}

} // namespace grapevine
