// Words that people type: lists of them for messages, and the nearest right
// spelling of a wrong one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace grapevine {

// The candidate at the smallest edit distance (insert, delete, replace,
// transpose), if that is at most a third of the word's length (at least 1, at
// most 3 edits). The first of several equally near ones.
std::optional<std::string> nearest_spelling(
    std::string_view word,
    std::span<const std::string> candidates);

// "ring, torus or star".
std::string one_of(std::span<const std::string> words);

// "unknown graph 'rng'; did you mean 'ring'? (ring, torus or star)"
std::string unknown_name(
    std::string_view kind,
    std::string_view word,
    std::span<const std::string> allowed);

} // namespace grapevine
