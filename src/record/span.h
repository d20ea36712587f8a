// The kinds of work that a worker's time goes to.
#pragma once

#include <array>
#include <string_view>

namespace grapevine::record {

enum class Span {
  kData, // waiting for a batch
  kForward,
  kBackward,
  kUpdate,
  kExchange, // moving and combining planes
  kWait,     // for peers
  kEvaluate,
};

inline constexpr std::array kAllSpans = {
    Span::kData,
    Span::kForward,
    Span::kBackward,
    Span::kUpdate,
    Span::kExchange,
    Span::kWait,
    Span::kEvaluate,
};

// As in the records: "data", "forward", …
std::string_view name(Span span);

} // namespace grapevine::record
