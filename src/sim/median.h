#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace grapevine::sim {

// The upper one of two; nothing of nothing.
inline std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<int64_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

} // namespace grapevine::sim
