// How deep a JSON text is nested, before a parser builds it: copying and
// printing what is nested without end overflow the stack.
#pragma once

#include <string_view>

namespace grapevine {

// Deeper than anything that Grapevine writes.
inline constexpr int kDeepestJson = 64;

// The largest number of brackets and braces that are open at once, outside of
// strings. For text that is not JSON, any number.
int json_depth(std::string_view text);

} // namespace grapevine
